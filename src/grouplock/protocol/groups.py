"""The groups that a request accepts: a sorted tuple of distinct numbers, never empty.

Groups are numbers inside; names live at the edge (the service, the command line).
"""

from __future__ import annotations

from typing import Final

Groups = tuple[int, ...]

# What `granted` says about setup: nothing to do, or switch from a group that nobody knows.
# Any other value is the group that the slot had before.
NO_SETUP: Final = -2
UNKNOWN_GROUP: Final = -1


def only(groups: Groups) -> int:
    """The one group of a request to an algorithm that takes no sets."""
    assert len(groups) == 1, f"this algorithm takes one group a request, not {groups}"
    return groups[0]
