"""The space-time diagram: each message from where it was sent to where it was taken."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from grouplock.catalog import find
from grouplock.lab.spacetime import Arrow, arrows, diagram, stays
from grouplock.measure.trace import Step, read
from grouplock.protocol.system import System

TRACES = Path(__file__).parents[1] / "traces"


def kept(name: str) -> list[Step]:
    with (TRACES / f"{name}.jsonl").open() as file:
        return [row for row in read(file) if isinstance(row, Step)]


def token_gme() -> System:
    return find("token-gme").system(3, {})


def test_arrows_join_sending_and_taking() -> None:
    steps = kept("token-gme-always-safe")
    found = arrows(steps, token_gme().messages)
    assert Arrow(1, 0, 0, 1, "Ask 1,[0]") in found
    assert Arrow(1, 2, 0, -1, "Ask 1,[0]") in found, "never taken"
    taken = [a.taken for a in found if a.taken >= 0]
    assert taken == [row for row, step in enumerate(steps) if step.do[0] == "deliver"]


def test_stays_last_until_the_exit_or_the_end() -> None:
    assert stays(kept("token-gme-always-safe")) == [(0, 1, 2, 4), (1, 0, 3, 4)]
    left = stays(kept("token-gme-queues-twice"))
    assert (0, 0, 0, 5) in left, "site 0 leaves in row 5"


def test_the_drawing_is_well_formed_and_has_every_step() -> None:
    steps = kept("token-gme-queues-twice")
    text = diagram(steps, 3, token_gme().messages, "<broken> & told")
    root = ET.fromstring(text)
    spoken = ["".join(e.itertext()) for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "<broken> & told" in spoken
    assert [f"{row}" for row in range(1, len(steps) + 1)] == [s for s in spoken if s.isdecimal()]
