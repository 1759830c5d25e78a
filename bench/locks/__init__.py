"""`make bench-locks`: how fast a lock is, ours and others', driven by the same code.

`scenarios` says what is asked for, `records` judges what happened, `servers` installs and starts
the real thing, `adapters` speak to it, `worker` is a client process, `crew` lets the systems take
turns, `targets`, `report` and `picture` say how we compare. `python -m bench.locks --help`.
"""
