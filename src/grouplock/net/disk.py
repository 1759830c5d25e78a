"""A node's folder: a lock that the kernel gives back when the process dies, and its records.

The records file has two slots of one block, written in turn; each has a checksum and a number.  A
write that was torn leaves the other slot, and what it said was never relied on.  Once there is a
record the lock's file says so: from then on records that are gone are not taken for a new folder,
whose fences would begin anew.
"""

from __future__ import annotations

import fcntl
import os
import zlib
from pathlib import Path
from typing import Any, Final

import msgspec

SLOT: Final = 512
MARK: Final = b"GL1\0"


class DiskTrouble(Exception):
    """The folder cannot be used; the text says why and what would do."""


class Disk:
    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self.number = 0
        self.lock_fd = -1
        self.records_fd = -1
        self.is_used = False  # there has been a record

    def open(self) -> list[tuple[Any, ...]]:
        """Takes the folder for this process; its records, oldest first."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.lock_fd = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
            self.records_fd = os.open(self.folder / "records", os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self.lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.is_used = os.fstat(self.lock_fd).st_size > 0
            whole = os.pread(self.records_fd, 2 * SLOT, 0)
        except BlockingIOError as e:
            self.close()
            raise DiskTrouble(
                f"{self.folder}: another node uses this folder; give each its own"
            ) from e
        except OSError as e:
            self.close()
            raise DiskTrouble(f"{self.folder}: {e.strerror}") from e
        found = sorted([r for at in (0, SLOT) if (r := _read(whole[at : at + SLOT])) is not None])
        if self.is_used and not found:
            self.close()
            raise DiskTrouble(
                f"{self.folder}/records is missing or damaged: restore it, or remove the folder "
                "when no hold of this node can be alive and no resource has seen its fences"
            )
        if found:
            self.number = found[-1][0]
        return [record for _, record in found]

    def write(self, record: tuple[Any, ...]) -> None:
        """Returns when it would survive a loss of power."""
        self.number += 1
        body = msgspec.msgpack.encode((self.number, record))
        head = MARK + zlib.crc32(body).to_bytes(4, "big") + len(body).to_bytes(2, "big")
        slot = (head + body).ljust(SLOT, b"\0")
        assert len(slot) == SLOT, "a record fits into a block"
        try:
            os.pwrite(self.records_fd, slot, SLOT * (self.number % 2))
            os.fsync(self.records_fd)
            if not self.is_used:
                self.mark()
        except OSError as e:
            raise DiskTrouble(f"{self.folder}/records: {e.strerror}") from e

    def mark(self) -> None:
        """That there is a record; and that both files are in the folder."""
        os.pwrite(self.lock_fd, MARK, 0)
        os.fsync(self.lock_fd)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self.is_used = True

    def close(self) -> None:
        for fd in (self.records_fd, self.lock_fd):
            if fd >= 0:
                os.close(fd)
        self.records_fd = self.lock_fd = -1


def _read(slot: bytes) -> tuple[int, tuple[Any, ...]] | None:
    if slot[:4] != MARK or len(slot) != SLOT:
        return None
    size = int.from_bytes(slot[8:10], "big")
    body = slot[10 : 10 + size]
    if zlib.crc32(body) != int.from_bytes(slot[4:8], "big"):
        return None
    number, record = msgspec.msgpack.decode(body)
    return number, tuple(record)


class Memory:
    """No folder: what is written lasts as long as the process."""

    def open(self) -> list[tuple[Any, ...]]:
        return []

    def write(self, record: tuple[Any, ...]) -> None:
        pass

    def close(self) -> None:
        pass
