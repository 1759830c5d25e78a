"""All interleavings of a small system: explore, find a counterexample, shorten it, replay it.

A driver: it gets a `System` and never asks which algorithm it is.  What it finds is a verdict.
"""
