"""Every state that the checker reaches, for properties that the checker does not know itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from grouplock.check.cells import Cells
from grouplock.check.checker import NO_LIMIT
from grouplock.check.clients import WAITING, Call
from grouplock.check.explore import Explorer
from grouplock.check.scope import Scope
from grouplock.protocol.groups import Groups
from grouplock.protocol.system import System


class Local(NamedTuple):
    """One site in a state."""

    site: Any  # what it would save
    calls: tuple[Call, ...]  # its clients' requests
    quiet: bool  # nothing is on its way to it

    @property
    def wanted(self) -> list[Groups]:
        """By its requests that wait for entry."""
        return [call.groups for call in self.calls if call.phase == WAITING]


def every_state(system: System, scope: Scope) -> Iterator[tuple[Local, ...]]:
    """Without faults; a state that breaks a promise is no end here."""
    cells = Cells(system, scope.checked(system))
    explorer = Explorer(cells, (), system.slots, system.shared)
    explorer.run(NO_LIMIT)
    assert explorer.verdict is None
    assert explorer.done()
    locals_: list[Local] = []
    for _, local, inbox in cells.values:
        site, clients = cells._local_values[local]
        locals_.append(Local(site, clients.calls, not inbox))
    width = system.n
    rows = explorer.states.rows
    for state in range(explorer.figures()[0]):
        yield tuple([locals_[rows[state * width + column]] for column in range(width)])


def quiet_states(system: System, scope: Scope) -> Iterator[tuple[Local, ...]]:
    """Those in which no message is on its way."""
    for state in every_state(system, scope):
        if all(local.quiet for local in state):
            yield state
