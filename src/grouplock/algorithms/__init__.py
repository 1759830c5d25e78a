"""One file, one paper.  An algorithm imports the vocabulary and the parts, never another one.

No clock, no randomness, no I/O, no logging, no walk over a set.  The tags (L1, L2, ...) are the
lines of the numbered pseudo-code in docs/algorithms/.
"""
