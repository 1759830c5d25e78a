"""A node's folder after what disks do: torn, cut off, gone, full."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grouplock.net.disk import SLOT, Disk, DiskTrouble


def written(folder: Path, *records: tuple[str, int]) -> None:
    disk = Disk(folder)
    disk.open()
    for record in records:
        disk.write(record)
    disk.close()


def read(folder: Path) -> list[tuple[object, ...]]:
    disk = Disk(folder)
    try:
        return disk.open()
    finally:
        disk.close()


def damage(folder: Path, at: int, what: bytes) -> None:
    with open(folder / "records", "r+b") as file:
        file.seek(at)
        file.write(what)


def test_the_last_two_records_are_there_oldest_first(tmp_path: Path) -> None:
    assert read(tmp_path) == []
    written(tmp_path, ("epoch", 1), ("clean", 1), ("epoch", 2))
    assert read(tmp_path) == [("clean", 1), ("epoch", 2)]


@pytest.mark.parametrize("at", [0, 4, 8, 12])
def test_a_torn_write_leaves_the_record_before_it(tmp_path: Path, at: int) -> None:
    written(tmp_path, ("epoch", 1), ("epoch", 2))  # the second is in the first slot
    damage(tmp_path, at, b"\xff\xff")
    assert read(tmp_path) == [("epoch", 1)]
    written(tmp_path, ("epoch", 3))
    assert read(tmp_path) == [("epoch", 1), ("epoch", 3)]


def test_a_first_write_that_was_torn_is_a_new_folder(tmp_path: Path) -> None:
    """Nothing was granted before it was there."""
    read(tmp_path)
    damage(tmp_path, SLOT, b"GL1\0 torn")
    assert read(tmp_path) == []


@pytest.mark.parametrize("size", [0, 3, 4, 9, 10, SLOT - 1, SLOT])
def test_records_that_were_cut_off_need_somebody(tmp_path: Path, size: int) -> None:
    written(tmp_path, ("epoch", 1))  # in the second slot
    os.truncate(tmp_path / "records", size)
    with pytest.raises(DiskTrouble, match="missing or damaged"):
        read(tmp_path)


@pytest.mark.parametrize("size", [SLOT, SLOT + 4, SLOT + 9, 2 * SLOT - 1])
def test_of_two_records_the_one_that_is_whole_is_read(tmp_path: Path, size: int) -> None:
    written(tmp_path, ("epoch", 1), ("epoch", 2))
    os.truncate(tmp_path / "records", size)
    assert read(tmp_path) == [("epoch", 2)]


def test_records_that_are_gone_need_somebody(tmp_path: Path) -> None:
    written(tmp_path, ("epoch", 7))
    (tmp_path / "records").unlink()
    with pytest.raises(DiskTrouble, match="missing or damaged"):
        read(tmp_path)


def test_a_sync_that_fails_is_told_and_nothing_counts_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path)
    disk.open()

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskTrouble, match="No space left on device"):
        disk.write(("epoch", 1))
    disk.close()


def test_a_folder_in_use_is_not_shared(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.open()
    with pytest.raises(DiskTrouble, match="another node uses this folder"):
        read(tmp_path)
    disk.close()
