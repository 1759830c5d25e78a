"""A file for each way to have a lock: ours, others', and none at all."""
