"""Workloads, the trace format and the figures of merit: what is measured, and how it is written.

Nothing here drives anything.
"""
