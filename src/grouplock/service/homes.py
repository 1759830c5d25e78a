"""Which node keeps which lock: names fall into shards, shards have homes.

Rendezvous hashing: every member draws a number for each shard and the highest has it, so that a
member that goes or comes moves only its own share.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import Final, NamedTuple

SHARDS: Final = 256


class Member(NamedTuple):
    node: int  # its number, for as long as it is a member
    name: str  # what its share is drawn by
    address: str  # where it listens; empty: nowhere


def shard_of(name: str) -> int:
    return zlib.crc32(name.encode()) % SHARDS


def homes(members: tuple[Member, ...]) -> list[int]:
    """The home of each shard, as a node's number."""
    return [max([(_draw(shard, m.name), m.node) for m in members])[1] for shard in range(SHARDS)]


def _draw(shard: int, name: str) -> int:
    drawn = hashlib.blake2b(f"{shard} {name}".encode(), digest_size=8).digest()
    return int.from_bytes(drawn, "big")
