"""What can go wrong for whoever uses a lock, and whether the thing certainly did not happen.

`happened` is False where the lock certainly was not taken, True where it was and is gone, and None
where that is not known.
"""

from __future__ import annotations

from typing import ClassVar


class GroupLockError(Exception):
    """Anything that a lock says."""

    happened: ClassVar[bool | None] = False


class LockTimeout(GroupLockError, TimeoutError):
    """The time to wait has passed; the request is withdrawn, the lock was not taken."""


class LockLost(GroupLockError):
    """The hold has ended before its holder gave it back; others may be inside."""

    happened: ClassVar[bool | None] = True


class NotHeld(GroupLockError):
    """Nothing is held here: given back already, or by another process."""


class WouldDeadlock(GroupLockError):
    """To wait for this could be for ever: whoever waits holds what it waits for."""


class ConfigMismatch(GroupLockError):
    """The lock is in use with another setting."""


class Refused(GroupLockError):
    """A limit, a name, or a right stands against it; to try again as it is will not help."""


class SetupFailed(GroupLockError):
    """The setup of a slot failed at this client."""


class Unavailable(GroupLockError, ConnectionError):
    """The node that keeps the lock cannot be reached, or may not grant yet."""


class RegistryRegressed(GroupLockError):
    """The registry shows an older state than one that was seen: an operator has to adopt it."""


BY_CAUSE: dict[str, type[GroupLockError]] = {
    "config-mismatch": ConfigMismatch,
    "unavailable": Unavailable,
    "setup-failed": SetupFailed,
    "busy": LockTimeout,
}
