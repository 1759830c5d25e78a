"""What a round's log says: figures, and whether two groups were ever inside together.

A row is one entry: client, group, and four instants of the machine's monotonic clock, which is one
for all processes: asked, entered (the call has returned), left (before the call to release), done.
So an overlap of two rows is an overlap of two stays, never an artefact of looking late.
Nothing here runs anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
CLIENT, GROUP, ASKED, ENTERED, LEFT, DONE = range(6)
FIELDS: Final = 6
NONE: Final = np.iinfo(np.int64).min


class Figures(NamedTuple):
    """Of one round, or of all rounds of a system in a scenario."""

    entries: int
    pair_p50_us: float
    handover_p50_us: float  # not a number where nobody waited
    per_s: float
    longest_wait_ms: float
    longest_wait_sessions: int  # that began while somebody waited
    together: int  # most that were inside at once
    conflicts: int  # entries while another group was inside: must be 0


def rows(logs: Iterable[bytes]) -> Rows:
    """The logs of several clients, in order of entry."""
    whole = np.frombuffer(b"".join(logs), dtype=np.int64).reshape(-1, FIELDS)
    order: Rows = whole[np.argsort(whole[:, ENTERED], kind="stable")]
    return order


def conflicts(log: Rows) -> int:
    """Entries of one lock while somebody of another group was inside (in order of entry)."""
    if len(log) < 2:
        return 0
    bad = np.zeros(len(log), dtype=bool)
    for group in np.unique(log[:, GROUP]):
        mine = log[:, GROUP] == group
        left = np.maximum.accumulate(np.where(mine, log[:, LEFT], NONE))
        inside = np.concatenate(([NONE], left[:-1])) > log[:, ENTERED]
        bad |= inside & ~mine
    return int(bad.sum())


def most_together(log: Rows) -> int:
    """How many were inside at once, at most; who leaves at an instant is out at that instant."""
    steps = np.concatenate((np.ones(len(log), np.int64), -np.ones(len(log), np.int64)))
    times = np.concatenate((log[:, ENTERED], log[:, LEFT]))
    order = np.lexsort((steps, times))
    return int(np.cumsum(steps[order]).max(initial=0))


def handovers(log: Rows) -> NDArray[np.int64]:
    """From a call to release to the next entry, where whoever enters had asked before the call."""
    left, entered, asked = log[:-1, LEFT], log[1:, ENTERED], log[1:, ASKED]
    waited = (asked < left) & (entered >= left)
    gaps: NDArray[np.int64] = (entered - left)[waited]
    return gaps


def sessions_waited(log: Rows) -> NDArray[np.int64]:
    """For each entry how many sessions of *other* groups began while it waited."""
    if not len(log):
        return np.zeros(0, np.int64)
    group = log[:, GROUP]
    begins = np.concatenate(([True], group[1:] != group[:-1]))
    starts = log[begins, ENTERED]
    before = np.searchsorted(starts, log[:, ASKED], side="right")
    upto = np.searchsorted(starts, log[:, ENTERED], side="right")
    # The last session that began is its own.
    passed: NDArray[np.int64] = np.maximum(upto - before - 1, 0)
    return passed


def jain(counts: Iterable[int]) -> float:
    """1 where all got the same, 1/n where one got everything."""
    shares = np.array(list(counts), dtype=float)
    squares = float((shares**2).sum()) * len(shares)
    return float(shares.sum()) ** 2 / squares if squares else 1.0


def entries_of(log: Rows, clients: int) -> NDArray[np.int64]:
    return np.bincount(log[:, CLIENT], minlength=clients).astype(np.int64)


def judge(log: Rows, shared: bool, start: int, stop: int) -> Figures:
    """`shared`: all rows are of one lock.  Counted is what was asked for from `start` on and was
    done by `stop`, in ns; the safety check looks at all of it.  Where each client has a lock of its
    own there is nothing to exclude."""
    counted = log[(log[:, ASKED] >= start) & (log[:, DONE] <= stop)]
    waits = counted[:, ENTERED] - counted[:, ASKED]
    pairs = waits + counted[:, DONE] - counted[:, LEFT]
    last = int(counted[:, DONE].max(initial=start))
    gaps = handovers(counted) if shared else np.zeros(0, np.int64)
    return Figures(
        entries=len(counted),
        pair_p50_us=_median(pairs) / 1e3,
        handover_p50_us=_median(gaps) / 1e3,
        per_s=len(counted) / ((last - start) / 1e9) if last > start else 0.0,
        longest_wait_ms=float(waits.max(initial=0)) / 1e6,
        longest_wait_sessions=int(sessions_waited(log).max(initial=0)) if shared else 0,
        together=most_together(log) if shared else 1,
        conflicts=conflicts(log) if shared else 0,
    )


def _median(values: NDArray[np.int64]) -> float:
    return float(np.median(values)) if len(values) else float("nan")
