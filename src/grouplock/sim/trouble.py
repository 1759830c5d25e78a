"""What goes wrong in a run, beside the workload: patience, setups, crashes, bad channels.

All times are in units of virtual time; everything is off by default.
"""

from __future__ import annotations

from typing import NamedTuple


class Trouble(NamedTuple):
    patience: float = 0.0  # mean time after which a waiting request is withdrawn; 0: never
    setup: float = 0.0  # mean time that a switch of groups takes
    setup_fails: float = 0.0  # share of the setups that fail
    sync: float = 0.0  # mean time until a record is on disk
    lease: float = 0.0  # a hold longer than this is ended by its site; 0: never
    crashes: tuple[tuple[float, int], ...] = ()  # (when, which site)
    detection: float = 10.0  # mean time until a survivor learns of a crash
    duplicated: float = 0.0  # share of the messages that arrive twice
    lost: float = 0.0  # share of the transmissions that are lost and repeated
    resend: float = 10.0  # after how long a lost transmission is repeated


NO_TROUBLE = Trouble()
