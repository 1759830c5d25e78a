"""An algorithm made of a changed text, and the watch over handlers that may never end."""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

from grouplock.catalog import Algorithm
from grouplock.protocol.message import Message, Messages
from grouplock.protocol.site import Site

FILE: Final = "<mutant>"
TO_ONESELF: Final = 1000  # messages in a row, before anything else happens
PATIENCE_S: Final = 2.0  # of processor time; a handler that is right takes less than a thousandth
SOURCES: Final = Path(__file__).parents[2] / "src" / "grouplock" / "algorithms"


class NeverEnds(Exception):
    """A step takes longer, or tells itself more, than any that is right."""


def module_of(algorithm: Algorithm) -> str:
    return algorithm.make.__module__.rpartition(".")[2] + ".py"


def source_of(algorithm: Algorithm) -> str:
    return (SOURCES / module_of(algorithm)).read_text()


def made_of(algorithm: Algorithm, source: str) -> Algorithm:
    """The algorithm with this text, interpreted.

    Its messages and their tables are those of the right one: no operator changes them, and an
    entry of the catalog names them itself for some of the options.
    """
    module = ModuleType("mutant")
    sys.modules[module.__name__] = module
    exec(compile(source, FILE, "exec"), module.__dict__)
    right = importlib.import_module(algorithm.make.__module__)
    for name, value in vars(right).items():
        if isinstance(value, Messages) or (isinstance(value, type) and issubclass(value, Message)):
            module.__dict__[name] = value
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Site) and value.__module__ == "mutant":
            end_monologues(value)
    return algorithm._replace(make=getattr(module, algorithm.make.__name__))


def end_monologues(site: Any) -> None:
    """What a site sends itself is a part of the step, which a driver waits for."""
    said = 0
    right = site.on_message

    def on_message(self: Any, src: int, msg: Message, out: Any) -> None:
        nonlocal said
        said = said + 1 if src == self.me else 0
        if said > TO_ONESELF:
            raise NeverEnds("it sends itself messages for ever")
        right(self, src, msg, out)

    def starting(handler: Any) -> Any:
        def start(self: Any, *arguments: Any) -> None:
            nonlocal said
            said = 0
            handler(self, *arguments)

        return start

    site.on_message = on_message
    for name in ("request", "release", "load"):
        setattr(site, name, starting(getattr(site, name)))


@contextmanager
def watched() -> Iterator[None]:
    """`NeverEnds` out of a handler that is still the same one after so long."""
    last: FrameType | None = None

    def ring(_: int, frame: FrameType | None) -> None:
        nonlocal last
        now = handler_in(frame)
        if now is not None and now is last:
            raise NeverEnds("a handler never ends")
        last = now

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def handler_in(frame: FrameType | None) -> FrameType | None:
    """The outermost call into the text."""
    found = None
    while frame is not None:
        if frame.f_code.co_filename == FILE:
            found = frame
        frame = frame.f_back
    return found
