"""The lock service on virtual time: the shipped machines, a simulated world, and a nemesis.

Everything here follows from a scenario, which is data.  There is no clock, no thread, no socket,
and no chance but from the scenario's seed.
"""
