"""`python -m bench.locks`: install, start, let them take turns, tell."""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

from bench.locks import report, targets
from bench.locks.crew import ROOT, Crew, CrewFailed, Result, take_turns
from bench.locks.picture import draw
from bench.locks.scenarios import SCENARIOS
from bench.locks.servers import PACKAGES, Server, ServerFailed, install, running
from bench.locks.systems import SYSTEMS

NOBODY = Server("", ROOT, [])


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def wanted() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.locks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="about a minute, noisy")
    parser.add_argument("--rounds", type=int, help="7; with --quick 2")
    parser.add_argument("--seconds", type=float, help="a turn takes 1; with --quick 0.25")
    parser.add_argument("--only", default="", help="these scenarios: A1,B0")
    parser.add_argument("--systems", default="", help="these systems: grouplock,redis-raw")
    parser.add_argument("--without", default="", help="all but these servers: etcd,zookeeper")
    parser.add_argument("--out", type=Path, default=Path("bench/build"), help="where figures go")
    parser.add_argument("--json", action="store_true", help="figures to stdout instead of the page")
    given = parser.parse_args()
    given.rounds = given.rounds or (2 if given.quick else 7)
    given.seconds = given.seconds or (0.25 if given.quick else 1.0)
    known = {"only": list(SCENARIOS), "systems": list(SYSTEMS), "without": list(PACKAGES)}
    for key, table in known.items():
        named = [one.strip() for one in getattr(given, key).split(",") if one.strip()]
        unknown = [one for one in named if one not in table]
        if unknown:
            parser.error(f"--{key}: {unknown[0]!r} is none of {', '.join(table)}")
        setattr(given, key, named)
    return given


def measure(given: argparse.Namespace) -> list[Result]:
    systems = [
        one
        for one in SYSTEMS.values()
        if (not given.systems or one.name in given.systems) and one.server not in given.without
    ]
    servers = list(dict.fromkeys(one.server for one in systems if one.server))
    install(servers)
    with ExitStack() as stack:
        up = {name: stack.enter_context(running(name)) for name in servers}
        tell(f"running: {', '.join(up)}")
        crews = {}
        for system in systems:
            crews[system.name] = Crew(system, up.get(system.server, NOBODY))
            stack.callback(crews[system.name].close)
        for crew in crews.values():
            crew.ready()
        scenarios = [SCENARIOS[name] for name in given.only or SCENARIOS]
        return take_turns(crews, scenarios, given.rounds, given.seconds, tell)


def conditions(given: argparse.Namespace) -> str:
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    return (
        f"{given.rounds} rounds of {given.seconds:g} s a turn, medians, ± half of what the rounds"
        f" spread over; {os.cpu_count()} cores, load {load} at the end (1, 5, 15 minutes);"
        f" Linux {platform.release().split('-')[0]}, Python {platform.python_version()}.\n"
    )


def numbers(one: targets.Measured) -> dict[str, Any]:
    """As JSON knows them: null where nobody waited."""
    told = one._asdict()
    nothing = [key for key, value in told.items() if isinstance(value, float) and value != value]
    return told | dict.fromkeys(nothing)


def ended(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def main() -> int:
    given = wanted()
    signal.signal(signal.SIGTERM, ended)
    began = time.monotonic()
    try:
        results = measure(given)
    except (ServerFailed, CrewFailed) as e:
        tell(f"bench-locks: {e}")
        return 2
    except KeyboardInterrupt:
        tell("stopped; servers and clients are gone")
        return 130
    order = list(SYSTEMS)
    found = [targets.measured(one) for one in results]
    found.sort(key=lambda one: (list(SCENARIOS).index(one.scenario), order.index(one.system)))
    judged = targets.verdicts(found)
    page = report.page(found, judged, conditions(given))
    given.out.mkdir(parents=True, exist_ok=True)
    figures: dict[str, list[dict[str, Any]]] = {
        "measured": [numbers(one) for one in found],
        "verdicts": [{**one._asdict(), "met": one.met} for one in judged],
    }
    (given.out / "locks.json").write_text(json.dumps(figures, indent=1))
    (given.out / "locks.md").write_text(page)
    pictures = draw(found, given.out / "locks")
    print(json.dumps(figures, indent=1) if given.json else page)
    tell(f"{time.monotonic() - began:.0f} s; also in {', '.join(str(path) for path in pictures)}")
    wrong = targets.broken(found)
    for one in wrong:
        more = "; the check should have seen some" if one.system == "no lock" else ""
        entries = f"{one.conflicts} entries while another group was inside"
        tell(f"{one.system} in {one.scenario}: {entries}{more}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
