"""What one client, one node may make us keep.  Beyond it there is a named error, at once."""

from __future__ import annotations

from typing import Final, NamedTuple


class Limits(NamedTuple):
    locks: int = 1_000_000  # with anybody in them, or not forgotten yet
    clients: int = 100_000
    requests_per_client: int = 100_000  # waiting and held
    waiting_per_lock: int = 100_000
    looked_at: int = 10_000  # locks in one answer


# Causes of refusals, for programs; each text says the rest.
BUSY: Final = "busy"  # asked for at once, and it is not free
MISMATCH: Final = "config-mismatch"
TOO_MANY: Final = "too-many"
BAD_NAME: Final = "bad-name"
UNSUPPORTED: Final = "unsupported"
UNAVAILABLE: Final = "unavailable"
SETUP_FAILED: Final = "setup-failed"
FORBIDDEN: Final = "forbidden"

# Causes of losses.
EXPIRED: Final = "expired"
FORCED: Final = "forced"
FORGOTTEN: Final = "forgotten"  # this node has no such hold

# Causes of partings.
WRONG_VERSION: Final = "wrong-version"
WRONG_KEY: Final = "wrong-key"
SUPERSEDED: Final = "superseded"  # the same client has come back elsewhere
HOME_RENEWED: Final = "home-renewed"
OUT_OF_TURN: Final = "out-of-turn"
