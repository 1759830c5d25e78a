"""The lock service without sockets and clocks: frames and the time in, deeds out.

A failure in here that somebody else caused is a typed answer to the one who caused it.
"""
