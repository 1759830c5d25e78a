"""docs/checked.md of what the last deep run kept:  python -m tests.deep.report"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from grouplock.catalog import ALGORITHMS
from tests.deep.judge import JUDGES, SURVIVED
from tests.deep.results import Row, kept
from tests.deep.survivors import reason, test_of

PAGE: Final = Path(__file__).parents[2] / "docs" / "checked.md"

HEAD: Final = """\
# What was checked

The last results of `make check-deep`, which writes this page: every interleaving of small systems,
beyond what the ordinary tests go through at every change, and a mutation run. What the ordinary
tests explore stands with its numbers in `tests/check/test_counts*.py`.
"""

EXPLORED: Final = """
## Explorations

n sites, each makes r requests of one of g groups, or of a set of s; *with* names what else may
happen in any state, and how often in a run. Which group, and whether a site asks at all, is
explored too. **All** says that these are all the states there are: every property holds. Otherwise
so many states, nearest first, were looked at and nothing is violated in them; properties on what
happens in the end are known of complete explorations alone. *together*, that two are inside at
once, is shown by one state.

| algorithm | options | n | g | s | r | with | states | transitions | all |
|---|---|--:|--:|--:|--:|---|--:|--:|---|
"""

PROMISED: Final = """
The properties on which each was judged, with the options that promise them:

| algorithm | properties |
|---|---|
"""

MUTANTS: Final = """
## Mutants

Operators break an algorithm's file in one place: a call dropped, an update skipped, a field
forgotten, a comparison swapped, a condition turned, made true or made false, an operand dropped, a
number or a flag changed. Of all these mutants a sample, drawn by a fixed seed, is judged with every
setting of the options; the first judge that notices it ends its trial. At least nine of ten that
are not equivalent must be noticed.

- *bounds*: an undisturbed run stays within the messages that the catalog claims, and is served;
- *schedules*: random orders: exclusion, everybody served, messages within the bound, no assertion;
- *walks*: long runs with starved channels, withdrawals and crashes, all properties;
- *author*: in a walk, a site that was saved and loaded does the same as one that lived on;
- *checker*: all interleavings of two sites, three, and four, or the first of them: all properties;
- *numbers*: as many messages, states and transitions as the right one has, which the ordinary
  tests pin. A mutant that this judge alone notices breaks no property in these scopes;
- *tests*: what no judge notices and an ordinary test of the algorithm does.
"""


def page() -> str:
    return "".join([HEAD, *explorations(), *mutants()])


def explorations() -> Iterator[str]:
    rows = sorted(kept("explored").values(), key=place)
    yield EXPLORED
    for row in rows:
        scope = row["scope"]
        cells = [
            row["algorithm"], options(row), row["n"], scope["groups"], scope["sets"],
            scope["requests"], events(scope), f"{row['states']:,}", f"{row['transitions']:,}",
            "**all**" if row["complete"] else "",
        ]  # fmt: skip
        yield line(cells)
    yield PROMISED
    found = {row["algorithm"]: set[str]() for row in rows}
    for row in rows:
        found[row["algorithm"]].update(row["properties"])
    for name, properties in found.items():
        yield line([name, ", ".join(sorted(properties))])


def place(row: Row) -> list[object]:
    scope = row["scope"]
    return [row["algorithm"], list(row["options"].values()), row["n"], *map(str, scope.values())]


def options(row: Row) -> str:
    given = [f"{name}={value}" for name, value in row["options"].items()]
    given += [f"slots={row['slots']}"] if row["slots"] > 1 else []
    given += [row["quorum"]] if row["quorum"] else []
    return " ".join(given)


def events(scope: Row) -> str:
    times = f", {scope['faults']} of them" if scope["faults"] > 1 else ""
    return ", ".join(scope["events"]) + times


def mutants() -> Iterator[str]:
    names = [name for name, _, _ in JUDGES]
    found = kept("mutants")
    yield MUTANTS
    heads = ["mutants", "sampled", "noticed", *names, "tests", "equivalent", "missed"]
    yield line(["\nalgorithm", *heads])
    yield "|---|" + "--:|" * len(heads) + "\n"
    for name, result in found.items():
        rows = result["sampled"]
        by = Counter(row["by"] for row in rows)
        alive = [row for row in rows if row["by"] == SURVIVED]
        same = [row for row in alive if reason(name, row["name"])]
        tested = [row for row in alive if test_of(name, row["name"])]
        noticed = len(rows) - len(alive) + len(tested)
        share = f"{noticed} of {len(rows) - len(same)}"
        numbers = [*[by[judge] for judge in names], len(tested), len(same)]
        numbers.append(len(alive) - len(same) - len(tested))
        yield line([name, result["mutants"], len(rows), share, *[n or "" for n in numbers]])
    absent = [algorithm.name for algorithm in ALGORITHMS if algorithm.name not in found]
    if absent:
        yield f"\nThe last run did not come to: {', '.join(absent)}.\n"
    yield "\nThose that survived, and why:\n\n| algorithm | mutant | |\n|---|---|---|\n"
    for name, result in found.items():
        for row in result["sampled"]:
            if row["by"] == SURVIVED:
                why = reason(name, row["name"]) or "**missed**"
                if test := test_of(name, row["name"]):
                    why = f"noticed by `{test.rpartition(':')[2]}`"
                yield line([name, f"`{row['name']}`".replace("|", "\\|"), why])


def line(cells: list[object]) -> str:
    words = [str(cell) for cell in cells]
    lead = "\n" if words[0].startswith("\n") else ""
    return lead + "| " + " | ".join([word.strip() for word in words]) + " |\n"


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"wrote {PAGE}")
