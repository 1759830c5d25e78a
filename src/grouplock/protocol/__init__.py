"""The vocabulary: what an algorithm may be told, what it may do, what it may say.

No logic, no clock, no randomness, no I/O.  A failure in here is an assertion: our bug.
"""
