"""Paper 003, Jiang: what it claims.

What it calls synchronisation delay, from a request to its entry, is our waiting.  It counts what a
node sends itself; we do not, so its counts are taken with a requester outside its quorums.
"""

from __future__ import annotations

from typing import Final

from grouplock.lab.claims.claim import NONE, at_least, at_most, claim, exactly, near

CLAIMS: Final = (
    claim("003.1a", "abstract, 5, 6", "messages at least 2|Q|+4: the least / that", at_least(1),
          "003-bounds"),
    claim("003.1b", "abstract, 5, 6", "at most 6n+2|QuP|+1: the most / that", at_most(1),
          "003-bounds"),
    claim("003.2a", "abstract, 5, 6", "delay of a follower, hops, at least", at_least(3),
          "003-scenes"),
    claim("003.2b", "abstract, 5, 6", "delay alone, hops, at least |QuP|+3: less that",
          at_least(0), "003-scenes"),
    claim("003.3a", "5", "alone, best: messages less 2|Q|+2|QuP|+1", exactly(0), "003-scenes"),
    claim("003.3b", "5", "and by its own list: less 3|Q|+2|QuP|+1", exactly(0), "003-scenes"),
    claim("003.4", "5", "alone, worst: at most 6n to reach WS and 2|QuP|+1: the most / that",
          at_most(1), "003-bounds"),
    claim("003.5", "5", "a follower: messages less 2|Q|+4", exactly(0), "003-scenes"),
    claim("003.6", "5", "leader stage: messages less 2|QuP|+1", exactly(0), "003-scenes"),
    claim("003.7a", "1", "Joung's first: messages alone / |Q|", exactly(3), "003-others"),
    claim("003.7b", "1", "at most 6|Q|: the most / |Q|", at_most(6), "003-others"),
    claim("003.7c", "1", "concurrency at most the degree of C_i (n = 54, m = 4)", at_most(3),
          "003-others"),
    claim("003.8a", "1", "Joung's second: messages alone / |Q|", exactly(3), "003-others"),
    claim("003.8b", "1", "at most 3|Q|+3r|Q|: share, r = n", at_most(1), "003-others"),
    claim("003.8c", "1", "the suggested r lets all in: inside together, r = sites / degree",
          exactly(9), "003-others"),
    claim("003.9", "1", "Joung's third: messages alone less 2|Q|+1", exactly(0), "003-others"),
    claim("003.10a", "1", "Toyomura: messages alone / |Q|", exactly(3), "003-others"),
    claim("003.10b", "1", "at most 3|Q|+3n|Q|: share", at_most(1), "003-others"),
    claim("003.11a", "1, 6", "sessions a request, Maekawa_S / Toyomura", at_most(1),
          "003-switches"),
    claim("003.11b", "1, 6", "sessions a request, Jiang / Toyomura", at_most(1),
          "003-switches"),
    claim("003.12a", "2", "the example is a 2-wr coterie: broken properties", NONE,
          "003-quorums"),
    claim("003.12b", "2", "write quorums", exactly(8), "003-quorums"),
    claim("003.12c", "2", "read quorums", exactly(16), "003-quorums"),
    claim("003.13", "2", "k-torus with the printed restriction: tori (r to 12, k to 4) that are no "
          "k-wr coterie", NONE, "003-quorums"),
    claim("003.14a", "2", "write quorum / (2 sqrt(n/(k+1))), r = 12, c = 4, k = 2", near(1, 0.05),
          "003-quorums"),
    claim("003.14b", "2", "read quorum less r", exactly(0), "003-quorums"),
    claim("003.15a", "Th. 1-4", "violations, all interleavings", NONE, "003-checked"),
    claim("003.15b", "Lemma 2", "more than one leader of a resource: violations", NONE,
          "003-checked"),
    claim("003.16a", "abstract, 6", "inside together, one resource, n = 8", exactly(8),
          "003-scenes"),
    claim("003.16b", "abstract, 6", "resources without bound: messages alone with resource 10^6 "
          "less with resource 0", exactly(0), "003-scenes"),
)  # fmt: skip
