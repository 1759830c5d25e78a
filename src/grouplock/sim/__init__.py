"""Virtual time: a deterministic discrete-event simulator of any algorithm."""
