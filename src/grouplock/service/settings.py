"""Settings: what a lock's first use decides, and what is said to whoever wants another value."""

from __future__ import annotations

from typing import Final

from grouplock.service.frames import GROUPS_LIMIT, NAME_LIMIT, Settings
from grouplock.service.table import Settled

DEFAULTS: Final = Settled(slots=1, policy="priority", linger=0.0, max_session=0.0, max_wait=0.0)
POLICIES: Final = ("priority", "fifo")


def settled(wanted: Settings) -> Settled:
    return Settled(
        wanted.slots if wanted.slots is not None else DEFAULTS.slots,
        wanted.policy if wanted.policy is not None else DEFAULTS.policy,
        wanted.linger if wanted.linger is not None else DEFAULTS.linger,
        wanted.max_session if wanted.max_session is not None else DEFAULTS.max_session,
        wanted.max_wait if wanted.max_wait is not None else DEFAULTS.max_wait,
    )


def conflict(name: str, wanted: Settings, has: Settled) -> str:
    """What to say; empty: they agree."""
    for what, value, there in (
        ("slots", wanted.slots, has.slots),
        ("policy", wanted.policy, has.policy),
        ("linger", wanted.linger, has.linger),
        ("max_session", wanted.max_session, has.max_session),
        ("max_wait", wanted.max_wait, has.max_wait),
    ):
        if value is not None and value != there:
            return (
                f"lock '{name}' is in use with {what}={there}, not {value}; use the same value, "
                f"leave it out, or wait until the lock has been idle and is forgotten"
            )
    return ""


def wrong_names(name: str, groups: tuple[str, ...]) -> str:
    """What is wrong with the names of a request; empty: nothing."""
    if not groups:
        return f"a request for lock '{name}' has to name a group"
    if len(groups) > GROUPS_LIMIT:
        return f"a request may name {GROUPS_LIMIT} groups, not {len(groups)}"
    if len(groups) > 1 and len(dict.fromkeys(groups)) != len(groups):
        return f"a request for lock '{name}' names a group twice"
    for said in (name, *groups):
        if not 0 < len(said) <= NAME_LIMIT:
            return f"a name has 1 to {NAME_LIMIT} characters; '{said[:20]}...' has {len(said)}"
    return ""
