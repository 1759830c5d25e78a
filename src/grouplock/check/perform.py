"""One step of a site: give it an input of the trace format, take all its effects.

The checker, the random walk and the replay all step in this way.
"""

from __future__ import annotations

from typing import Any

from grouplock.protocol.effects import SEND, Effect, Effects, packed
from grouplock.protocol.site import Site
from grouplock.protocol.system import System
from grouplock.protocol.view import Ghost, View

Input = tuple[Any, ...]


def perform(system: System, site: Site[Any], do: Input) -> tuple[Effect, ...]:
    """The effects, packed, in order.  What a site sends itself is handled after the handler."""
    out = Effects()
    give(system, site, do, out)
    effects = [packed(effect, system.messages) for effect in out.take()]
    if not system.channel.own:
        for effect in effects:  # grows while we walk it
            if effect[0] == SEND and effect[1] == site.me:
                site.on_message(site.me, system.messages.unpack(effect[2], system.n), out)
                effects += [packed(e, system.messages) for e in out.take()]
    return tuple(effects)


def give(system: System, site: Site[Any], do: Input, out: Effects) -> None:
    """Call the handler that the input names."""
    kind = do[0]
    if kind == "deliver":
        site.on_message(do[1], system.messages.unpack(do[2], system.n), out)
    elif kind == "request":
        site.request(do[1], do[2], out)
    elif kind == "release":
        site.release(do[1], out)
    elif kind == "withdraw":
        site.withdraw(do[1], out)
    elif kind == "timer":
        site.on_timer(do[1], out)
    elif kind == "setup":
        site.setup_done(do[1], do[2], out)
    elif kind == "persisted":
        site.persisted(do[1], out)
    elif kind == "notice":
        site.on_crash(do[1], out)
    elif kind == "report":
        site.on_report(do[1], out)
    elif kind == "view":
        epoch, members, reports, ghosts = do[1:]
        site.on_view(View(epoch, members, reports, tuple(Ghost(*g) for g in ghosts)), out)
    elif kind == "expire":
        site.expire(do[1], out)
    elif kind == "force":
        site.force(do[1], out)
    elif kind == "restart":
        site.on_restart(list(do[1]), out)
    else:
        assert kind == "crash", f"no input is called {kind}"  # a crash calls nothing
