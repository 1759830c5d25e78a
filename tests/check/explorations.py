"""What is explored of every algorithm with every setting: three sites, two requests, two groups.

One request where crashes come with it, and where that is too much already.  The ordinary suite
goes through those of two requests that are not too large; make check-deep through all.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from grouplock.catalog import Algorithm, find
from grouplock.check.scope import Scope
from grouplock.protocol.system import System

LIMIT: Final = 2_000_000  # states; where there are more than that, so many are explored
Counts = tuple[int, int]  # states and transitions


class Exploration(NamedTuple):
    algorithm: str
    options: dict[str, str]
    n: int
    scope: Scope
    counts: Counts | None  # of the whole, or that it is larger than the limit
    slots: int = 1
    quorum: str | None = None

    @property
    def name(self) -> str:
        """Unlike those of all others; fit for a file."""
        scope = self.scope
        words = [self.algorithm, *[f"{name}={value}" for name, value in self.options.items()]]
        words += [f"n{self.n}", f"g{scope.groups}"]
        words += [f"s{scope.sets}"] if scope.sets > 1 else []
        words += [f"r{scope.requests}", *scope.events]
        words += [f"f{scope.faults}"] if scope.faults > 1 else []
        words += [f"k{self.slots}"] if self.slots > 1 else []
        return "-".join([*words, self.quorum] if self.quorum else words)

    def entry(self) -> Algorithm:
        return find(self.algorithm)

    def system(self) -> System:
        return self.entry().system(self.n, self.options, self.slots, self.quorum, self.scope.groups)


ONE: Final = Scope(groups=2, requests=1)
CRASH: Final = Scope(groups=2, requests=1, events=("crash",))
PLAIN: Final = Scope(groups=1, requests=2)
TWO: Final = Scope(groups=2, requests=2)
WITHDRAWALS: Final = Scope(groups=2, requests=2, events=("withdraw",))
WEIGHTS: Final = {"release": "weights"}
BOUNDED: Final = {"secondary": "once", "numbers": "bounded"}

EXPLORATIONS: Final = (
    Exploration("raymond", {}, 3, TWO, (4_519, 10_640)),
    Exploration("singhal-heuristic", {}, 3, TWO, (188_619, 720_513)),
    Exploration("singhal-dynamic", {}, 3, TWO, (60_098, 180_688)),
    Exploration("ricart-agrawala", {}, 3, TWO, (300_919, 1_007_988)),
    Exploration("suzuki-kasami", {}, 3, TWO, (247_735, 1_171_483)),
    Exploration("ra1", {}, 3, TWO, (968_685, 3_732_716)),
    Exploration("central", {}, 3, WITHDRAWALS, (1_770_023, 10_518_234)),
    Exploration("central", {}, 3, WITHDRAWALS, None, slots=2),
    Exploration("maekawa-m", {}, 3, TWO, (1_043_238, 3_672_081)),
    Exploration("maekawa-m", {"virtual": "kept"}, 3, TWO, (1_340_527, 4_717_590)),
    Exploration("maekawa-m", {"virtual": "shared"}, 3, TWO, (1_340_527, 4_717_590)),
    Exploration("maekawa-m", {"locks": "1"}, 3, TWO, (450_333, 1_419_031)),
    Exploration("maekawa-m", {"locks": "1", "virtual": "kept"}, 3, TWO, (723_078, 2_324_836)),
    Exploration("maekawa-m", {"locks": "1", "virtual": "shared"}, 3, TWO, (723_078, 2_324_836)),
    Exploration("toyomura", {}, 3, TWO, (121_904, 372_938)),
    Exploration("maekawa-s", {}, 3, TWO, (392_781, 1_870_283)),
    Exploration("manabe-park", {}, 3, TWO, (2_450_138, 8_668_956)),
    Exploration("manabe-park", {"choice": "waiters"}, 3, TWO, None),
    Exploration("sanders", {}, 3, TWO, (1_428_779, 4_404_116)),
    Exploration("sanders", {"structure": "ricart-agrawala"}, 3, TWO, None),
    Exploration("sanders", {"structure": "ricart-agrawala", "singleton": "on"}, 3, TWO, None),
    Exploration("surrogate", WEIGHTS, 3, TWO, (226_329, 655_806)),
    Exploration("surrogate", {**WEIGHTS, "entry": "on"}, 3, TWO, None),
    Exploration("surrogate", {**WEIGHTS, "entry": "pivot"}, 3, TWO, None),
    Exploration("surrogate", {**WEIGHTS, "stale": "off"}, 3, TWO, (127_051, 387_934)),
    Exploration("surrogate", {"release": "leave", "stale": "off"}, 3, TWO, (174_333, 557_213)),
    Exploration("lamport", {}, 3, TWO, None),
    Exploration("ra2", {}, 3, TWO, None),
    Exploration("ra2", {"vectors": "full"}, 3, TWO, None),
    *[
        Exploration("token-gme", {"policy": policy, **options}, 3, TWO, None)
        for policy in ("priority", "fifo")
        for options in ({}, {"secondary": "once"}, BOUNDED, {**BOUNDED, "smax": "2"})
    ],
    Exploration("maekawa", {}, 3, TWO, (43_556, 114_167)),
    Exploration("jiang", {"patience": "never"}, 3, ONE, (31_457, 96_646)),
    Exploration("jiang", {"patience": "100"}, 3, ONE, None),
    Exploration("jiang", {"patience": "100"}, 2, TWO, (1_521, 3_152), slots=2),
    *[
        Exploration("restart", {"base": base, "phases": phases}, 3, scope, counts)
        for base, phases, scope, counts in (
            ("token-gme", "3", CRASH, (224_694, 890_256)),
            ("token-gme", "2", CRASH, (220_529, 873_853)),
            ("token-gme", "1", CRASH, (249_601, 1_013_113)),
            ("ra1", "3", CRASH._replace(groups=1), (132_421, 598_758)),
            ("ra1", "2", CRASH._replace(groups=1), (130_087, 588_969)),
            ("ra1", "1", CRASH._replace(groups=1), (170_560, 792_501)),
            ("maekawa", "3", CRASH._replace(groups=1), (10_314, 27_983)),
            ("maekawa", "2", CRASH._replace(groups=1), (10_314, 27_983)),
            ("maekawa", "1", CRASH._replace(groups=1), (10_288, 28_241)),
        )
    ],
    Exploration("cao-singhal", {}, 3, PLAIN, None),
    Exploration("cao-singhal", {"redundant": "on"}, 3, PLAIN, None),
    *[
        Exploration("cao-singhal", dict.fromkeys(on.split(), "on"), n, scope, counts)
        for on, n, scope, counts in (
            ("", 2, PLAIN, (41_192, 149_134)),
            ("redundant", 2, PLAIN, (41_192, 149_134)),
            ("direct", 2, PLAIN, (46_735, 169_209)),
            ("direct redundant", 2, PLAIN, (46_735, 169_209)),
            ("ahead", 2, PLAIN, (50_221, 188_469)),
            ("ahead redundant", 2, PLAIN, (50_221, 188_469)),
            ("ahead direct", 2, PLAIN, (56_064, 210_130)),
            ("ahead direct redundant", 2, PLAIN, (56_064, 210_130)),
            ("redundant faults", 2, PLAIN, (1_557, 2_635)),
            ("direct redundant faults", 2, PLAIN, (1_766, 3_008)),
            ("ahead redundant faults", 2, PLAIN, (1_557, 2_635)),
            ("ahead direct redundant faults", 2, PLAIN, (1_766, 3_008)),
            ("faults", 3, CRASH._replace(groups=1), (78_312, 233_304)),
            ("ahead faults", 3, CRASH._replace(groups=1), (83_010, 246_271)),
            ("direct faults", 3, CRASH._replace(groups=1), (82_813, 245_960)),
            ("ahead direct faults", 3, CRASH._replace(groups=1), (87_789, 259_848)),
        )
    ],
)
