"""Paper 001, Manabe and Park: what it claims.

Its counts take a requester outside its quorum: |Q| others.
"""

from __future__ import annotations

from typing import Final

from grouplock.lab.claims.claim import NONE, YES, at_most, claim, exactly, near

CLAIMS: Final = (
    claim("001.1a", "4.4", "messages alone / |Q|", exactly(6), "001-counts"),
    claim("001.1b", "4.4", "of six kinds, |Q| each: kinds", exactly(6), "001-counts"),
    claim("001.2a", "4.4", "best case: messages of a follower / |Q|", exactly(3), "001-counts"),
    claim("001.2b", "4.4", "and a request on average / |Q|, 60 followers of a pivot", near(3, 0.5),
          "001-counts"),
    claim("001.3", "4.4", "worst case: messages a request / |Q|", exactly(9), "001-counts"),
    claim("001.4", "4.4", "Joung's Maekawa_S: messages a request less 2c (the requester outside "
          "its quorum)", exactly(1), "001-counts"),
    claim("001.5", "5", "choosing by the waiters' sets: worst case / |Q|", exactly(9),
          "001-counts"),
    claim("001.6", "Th. 1", "quorums of group sets: pairs that do not meet", NONE,
          "001-quorums"),
    claim("001.7a", "Th. 2, 3", "exclusion and service: violations, all interleavings", NONE,
          "001-checked"),
    claim("001.7b", "Th. 4", "blocked though the pivot's group would do, long pivot (1 is yes)",
          NONE, "001-blocking"),
    claim("001.7c", "Th. 4", "compatible requests that wait while the pivot is inside",
          at_most(0), "001-blocking"),
    claim("001.8a", "3", "the example: p3 waits while p1 is inside, in Maekawa_M",
          YES, "001-blocking"),
    claim("001.8b", "3", "and here it is let in", YES, "001-blocking"),
)  # fmt: skip
