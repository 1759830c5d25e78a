"""The simulator: sites on virtual time, one seeded source of randomness, figures of merit.

Handed a `System` as a value; it never asks which algorithm it drives.
"""
