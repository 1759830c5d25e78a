"""Each rule refuses a sample that breaks it, and lets a good one pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.rules import rules

Rule = Callable[[str], list[str]]

PAGE = "```text\nL1  ask\nL2  enter\n```\n"

SAMPLES: dict[str, tuple[Rule, str, str]] = {
    "wall clock": (rules.banned_calls, "import time\ntime.time()", "import time\ntime.monotonic()"),
    "wall clock by name": (rules.banned_calls, "from time import time as t\nt()", "t = 1"),
    "chance without a seed": (
        rules.banned_calls,
        "import random\nrandom.shuffle(x)",
        "import random\nrandom.Random(7).shuffle(x)",
    ),
    "chance without a seed, by name": (
        rules.banned_calls,
        "from random import choice",
        "from random import Random",
    ),
    "pickle": (rules.banned_calls, "from pickle import dumps", "from json import dumps"),
    "deepcopy": (rules.banned_calls, "import copy\ncopy.deepcopy(1)", "import copy\ncopy.copy(1)"),
    "eval": (rules.banned_calls, "eval('1')", "int('1')"),
    "print": (partial(rules.banned_calls, room="sim"), "print(1)", "str(1)"),
    "logging in a pure room": (
        partial(rules.banned_calls, room="algorithms"),
        "import logging",
        "import itertools",
    ),
    "a clock in a pure room": (
        partial(rules.banned_calls, room="parts"),
        "from time import monotonic",
        "from typing import Final",
    ),
    "a generator in a pure room": (
        partial(rules.banned_calls, room="parts"),
        "from random import Random",
        "from typing import Final",
    ),
    "chance in a pure room": (
        partial(rules.banned_calls, room="properties"),
        "import numpy as np\nnp.random.default_rng(1)",
        "import numpy as np\nnp.zeros(1)",
    ),
    "bare except": (
        rules.bare_excepts,
        "try:\n  f()\nexcept:\n  g()",
        "try:\n  f()\nexcept OSError:\n  g()",
    ),
    "a literal set": (rules.walks_over_sets, "for x in {1, 2}: f(x)", "for x in [1, 2]: f(x)"),
    "a named set": (
        rules.walks_over_sets,
        "s = set(a)\nfor x in s: f(x)",
        "s = set(a)\nfor x in sorted(s): f(x)",
    ),
    "a set in self": (
        rules.walks_over_sets,
        "self.s: set[int] = f()\n[g(x) for x in self.s]",
        "self.s: set[int] = f()\n[g(x) for x in a if x in self.s]",
    ),
    "a final set": (
        rules.walks_over_sets,
        "s: Final[frozenset[int]] = f()\nlist(s)",
        "s: Final[tuple[int, ...]] = f()\nlist(s)",
    ),
    "a set parameter": (
        rules.walks_over_sets,
        "def f(s: set[int]):\n  return tuple(s - {1})",
        "def f(s: list[int]):\n  return tuple(s)",
    ),
    "any of a set": (rules.walks_over_sets, "s = {1}\ns.pop()", "s = [1]\ns.pop()"),
    "unfinished": (rules.unfinished, "x = 1  # TODO later", "x = 1  # todo is a word"),
    "too long": (partial(rules.too_long, limit=2), "1\n2\n3\n", "1\n2\n"),
    "skipped": (
        rules.skipped_tests,
        "import pytest\n@pytest.mark.skip\ndef test_f(): pass",
        "import pytest\n@pytest.mark.parametrize\ndef test_f(): pass",
    ),
    "sleeping": (rules.sleeps, "time.sleep(1)", "event.wait(1)"),
    "sleeping a little": (rules.sleeps, "asyncio.sleep(0.01)", "asyncio.sleep(0)"),
    "class keywords": (rules.class_keywords, "class A(B, frozen=True): pass", "class A(B): pass"),
    "no docstring": (rules.no_docstring, "x = 1", '"""What may live here."""'),
    "half a header": (
        rules.header,
        '"""Idea: x.  Source: y.  Cost: z."""',
        '"""Idea: x.  Source: y.  Channels: any.  Cost: z."""',
    ),
    "a tag that the page lacks": (
        partial(rules.tag_mismatch, page=PAGE),
        "a()  # L1\nb()  # L2\nc()  # L3",
        "a()  # L1\nb()  # L2",
    ),
    "a tag that the code lacks": (
        partial(rules.tag_mismatch, page=PAGE),
        "a()  # L1",
        "a()  # L1\nb()  # L2  because",
    ),
    "tags out of order": (
        partial(rules.tag_mismatch, page=PAGE),
        "a()  # L2\nb()  # L1",
        "a()  # L1\nb()  # L2",
    ),
    "a tag twice": (
        partial(rules.tag_mismatch, page=PAGE),
        "a()  # L1\nb()  # L2\nc()  # L2",
        "a()  # L1\nb()  # L2",
    ),
    "no tags": (
        partial(rules.tag_mismatch, page="```text\nL1  ask\n```\n"),
        "a()",
        "a()  # L1",
    ),
    "a dead link": (
        partial(rules.dead_links, folder=rules.ROOT),
        "[a](docs/nowhere.md)",
        "[a](docs/README.md), [b](https://example.org)",
    ),
    "a dead anchor": (
        partial(rules.dead_links, folder=rules.ROOT),
        "# Here\n[a](#there)",
        "# Over here!\n[a](#over-here)",
    ),
    "a dead picture": (
        partial(rules.dead_links, folder=rules.ROOT),
        '<img alt="" src="docs/none.svg">',
        "no picture",
    ),
    "a machine's path": (rules.machine_paths, "see /home/me/x", "see docs/home/x"),
    "an unknown command": (
        partial(rules.unknown_commands, commands={"sim"}, targets={"test"}),
        "```sh\ngrouplock dance\n```",
        "```sh\ngrouplock sim ra1\n```",
    ),
    "an unknown target": (
        partial(rules.unknown_commands, commands={"sim"}, targets={"test"}),
        "run `make coffee`",
        "run `make test`",
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_rule_refuses_and_accepts(name: str) -> None:
    rule, bad, good = SAMPLES[name]
    assert rule(bad), f"{name}: the bad sample passes"
    assert rule(good) == []
