"""Paper 004: costs and delays counted, the queue's ages, bounded numbers, recovery."""

from __future__ import annotations

from typing import Any, Final

from grouplock.lab.claims.claim import Measured
from grouplock.lab.experiments import sweep as s
from grouplock.lab.experiments.experiment import (
    Experiment,
    Named,
    Results,
    Scale,
    counted,
    of_scenes,
    scene,
)
from grouplock.lab.experiments.p004_figures import BASE, FIFO, RA2, TOKEN
from grouplock.lab.experiments.sweep import Contender, Sweep, exponent
from grouplock.lab.runs import Task, task

NS: Final = (10, 25, 50, 100)
SETS: Final = (1, 2, 4, 8)


# Costs on the simulator.


def by_n(scale: Scale) -> Sweep:
    points = {float(n): {**BASE, "n": n, "requests": scale.of(100, 20)} for n in NS}
    return Sweep(points, [TOKEN], scale.of(6, 3))


def by_sets(scale: Scale) -> Sweep:
    points = {float(g): {**BASE, "n": 25, "sets": g, "requests": scale.of(100, 20)} for g in SETS}
    return Sweep(points, [TOKEN], scale.of(6, 3))


def costs_tasks(scale: Scale) -> list[Task]:
    loops = [token_sizes(n) for n in (5, 10, 20, 40)]
    return [*by_n(scale).tasks(), *by_sets(scale).tasks(), *loops]


def token_sizes(n: int) -> Task:
    return scene(
        "loop", algorithm="token-gme", n=n, requests=10, think=1.0, stay=2.0, seed=1,
        clients_groups=5,
    )  # fmt: skip


def costs(results: Results, scale: Scale) -> dict[str, Measured]:
    at = by_n(scale)
    messages = at.value(results, TOKEN, 25, s.MESSAGES)
    tokens = {}
    for n in (5, 10, 20, 40):
        sizes = results[token_sizes(n)]["sizes"]
        tokens[float(n)] = sizes["Primary"]
    grows = exponent(tokens)
    flat = exponent({n: at.value(results, TOKEN, n, s.SIZE).mean for n in at.xs})
    sets = by_sets(scale)
    wide = exponent({g: sets.value(results, TOKEN, g, s.SIZE).mean for g in sets.xs})
    told = ", ".join([f"{size:.0f} at n = {n:.0f}" for n, size in tokens.items()])
    return {
        "004.1a": Measured(messages.mean, messages.half, "amortised over a run under load"),
        "004.2a": Measured(grows.mean, grows.half, f"a primary token: {told}"),
        "004.2b": Measured(flat.mean, flat.half),
        "004.39b": Measured(wide.mean, wide.half),
    }


# Scenes: one request at a time.


def scenes(scale: Scale) -> dict[str, Task]:
    return {
        "request": task("tokens.whole_request", n=25),
        "load": scene("loop", algorithm="token-gme", n=25, requests=20, think=0.0, stay=3.0,
                      seed=1, clients_groups=5),
        "alone": scene("alone", algorithm="token-gme", n=25, site=7),
        "together": scene("together", algorithm="token-gme", n=25),
        "end": task("tokens.session_end", algorithm="token-gme", n=9),
        "example": task("tokens.two_and_four", algorithm="token-gme"),
        "example ra2": task("tokens.two_and_four", algorithm="ra2"),
        "follower": task("tokens.follower", algorithm="token-gme"),
        "follower ra2": task("tokens.follower", algorithm="ra2"),
        "sets": task("tokens.sets_alone", n=9, g=3),
    }  # fmt: skip


def read_scenes(r: Named) -> dict[str, Measured]:
    return {
        "004.1b": counted(r["request"]["asks"]),
        "004.1c": counted(r["request"]["releases"], "sent when the token is given back, later"),
        "004.1d": counted(r["request"]["tokens"]),
        "004.3": counted(r["load"]["delay"], "channels that all take one unit of time"),
        "004.4": counted(r["alone"]["hops"]),
        "004.5": counted(r["together"]["inside"]),
        "004.6": counted(r["end"]["last"]),
        "004.37a": counted(r["example"]["inside"]),
        "004.37b": counted(r["example ra2"]["inside"]),
        "004.38a": counted(
            r["follower ra2"]["hops"],
            "one whom an older request of another group keeps from entering by itself; others of "
            "the leader's group enter after one hop, as leaders of their own",
        ),
        "004.38b": counted(r["follower"]["hops"]),
        "004.39a": counted(r["sets"]["hops"]),
    }


# Ages and priorities.


def ages(scale: Scale) -> dict[str, Task]:
    return {
        str(seed): task("tokens.ages", n=7, groups=4, seed=seed, turns=scale.of(600, 150))
        for seed in range(scale.of(40, 8))
    }


def read_ages(r: Named) -> dict[str, Measured]:
    most = {name: max([run[name] for run in r.values()]) for name in r["0"]}
    least = min([run["least_growth"] for run in r.values()])
    n, m = 7, 4
    reached = f"no priority came to m n = {m * n}; the largest was {most['priority']:.0f}"
    both = max(most["age"], most["priority"]) / (m * (n + 1))
    adversary = f"adversaries over {len(r)} seeds"
    return {
        "004.8a": counted(least, adversary),
        "004.8b": counted(most["most_growth"], adversary),
        "004.9": counted(most["share"], adversary),
        "004.10": counted(most["late"], reached if most["priority"] < m * n else adversary),
        "004.11": counted(most["passed"], f"{adversary}; the bound is far from what is reached"),
        "004.45": counted(both, adversary),
    }


# The others that section 1.1 tells of.

MUTEX: Final = ("ra1", "ra2", "suzuki-kasami")
PLANES: Final = (13, 31, 57, 133)  # n with a projective plane: quorums of 4, 6, 8, 12


def growing(algorithm: str, n: int, scale: Scale, quorum: str | None = None, m: int = 3) -> Task:
    return scene(
        "loop", algorithm=algorithm, n=n, quorum=quorum, requests=scale.of(12, 5), think=0.0,
        stay=2.0, seed=1, clients_groups=m, groups=m, fixed=False,
    )  # fmt: skip


def others(scale: Scale) -> dict[str, Task]:
    found: dict[str, Task] = {}
    for name in (*MUTEX, "maekawa-m", "maekawa-s", "surrogate"):
        quorum = "grid" if name == "surrogate" else None
        made: dict[str, Any] = {"algorithm": name, "n": 25, "quorum": quorum, "groups": 3}
        found[f"alone {name}"] = scene("alone", site=7, **made)
        found[f"handover {name}"] = scene("handover", holder=3, waiter=7, **made)
        found[f"together {name}"] = scene("together", **made)
    for name in MUTEX:
        for n in NS:
            found[f"{name} {n}"] = growing(name, n, scale)
    for n in PLANES:
        found[f"surrogate {n}"] = growing("surrogate", n, scale, "plane")
    for n in (12, 24, 48, 96):
        found[f"maekawa-m {n}"] = growing("maekawa-m", n, scale, m=4)
        found[f"maekawa-s {n}"] = growing("maekawa-s", n, scale, m=4)
        made = {"algorithm": "maekawa-s", "n": n, "groups": 4}
        found[f"long {n}"] = scene("alone", site=n - 1, **made)
        found[f"next {n}"] = scene("handover", holder=0, waiter=n - 1, **made)
    return found


def read_others(r: Named) -> dict[str, Measured]:
    def over(name: str, ns: tuple[int, ...], figure: str, x: Any = float) -> Measured:
        found = exponent({x(n): r[f"{name} {n}"][figure] for n in ns})
        return Measured(found.mean, found.half)

    surficial = (12, 24, 48, 96)  # m = 4: d = sqrt(n/6), |Q| = 3 d
    degree = {n: max(1, round((n / 6) ** 0.5 + 0.499)) for n in surficial}
    plane = {13: 4, 31: 6, 57: 8, 133: 12}
    exact = {
        "12a": r["alone ra1"]["messages"], "12b": r["handover ra1"]["hops"],
        "12c": r["alone ra1"]["hops"], "12d": r["together ra1"]["inside"],
        "13b": r["handover ra2"]["hops"], "13c": r["alone ra2"]["hops"],
        "13d": r["together ra2"]["inside"],
        "14b": r["alone maekawa-m"]["hops"], "14c": r["handover maekawa-m"]["hops"],
        "16c": r["alone surrogate"]["hops"], "16d": r["handover surrogate"]["hops"],
        "17a": r["alone suzuki-kasami"]["messages"],
        "17b": r["handover suzuki-kasami"]["hops"], "17c": r["alone suzuki-kasami"]["hops"],
    }  # fmt: skip
    found = {f"004.{letter}": counted(value) for letter, value in exact.items()}
    found["004.12e"] = Measured(
        *over("ra1", NS, "throughput")[:2],
        note="exponent of throughput, as stays are equally long: how many are inside together",
    )
    found["004.13a"] = counted(r["ra2 25"]["messages"], "amortised over a run under load")
    found["004.13e"] = over("ra2", NS, "integers")
    found["004.14a"] = over(
        "maekawa-m", surficial, "messages", lambda n: n * 3 * degree[n] / degree[n]
    )
    found["004.15a"] = over("maekawa-s", surficial, "messages", lambda n: 3 * degree[n])
    found["004.15b"] = over("long", surficial, "hops", lambda n: 3 * degree[n])
    found["004.15c"] = over("next", surficial, "hops", lambda n: 3 * degree[n])
    found["004.16a"] = over("surrogate", PLANES, "messages", lambda n: plane[n] - 1)
    found["004.16b"] = over("surrogate", PLANES, "integers", plane.__getitem__)._replace(
        note="see 000.15b: sites tell on, as arbiters, what they heard from others"
    )
    found["004.17d"] = over("suzuki-kasami", NS, "integers")
    return found


# Exploration.


def checked(scale: Scale) -> dict[str, Task]:
    token: dict[str, Any] = {"algorithm": "token-gme"}
    smallest = {"secondary": "once", "numbers": "bounded", "smax": "2"}
    return {
        "plain": task("explored.explored", **token, n=3, groups=2),
        "two": task("explored.explored", **token, n=2, groups=2, requests=2),
        "bounded": task("explored.explored", **token, n=2, groups=2, requests=2, options=smallest),
        "bounded three": task(
            "explored.explored", **token, n=2, groups=2, requests=3, options=smallest
        ),
    }


def explored_note(*runs: Any) -> str:
    states = sum([run["states"] for run in runs])
    if all([run["complete"] for run in runs]):
        return f"{states} states: all interleavings of small systems"
    return f"not violated in {states} states of small systems, which are not all"


def read_checked(r: Named) -> dict[str, Measured]:
    plain = (r["plain"], r["two"])
    tokens = 0 if any(["one-token" in run["violated"] for run in plain]) else 1
    small = (r["bounded"], r["bounded three"])
    return {
        "004.7": counted(tokens, explored_note(*plain)),
        "004.40": counted(sum([len(run["violated"]) for run in small]), explored_note(*small)),
    }


# Bounded numbers.


def bounded(scale: Scale) -> dict[str, Task]:
    return {
        str(seed): task("tokens.bounded", n=5, smax=4, groups=3, requests=40, seed=seed)
        for seed in range(scale.of(20, 4))
    }


def read_bounded(r: Named) -> dict[str, Measured]:
    n, smax = 5, 4
    most = {
        name: max([run[name] for run in r.values()])
        for name in ("number", "session", "tokens", "earlier")
    }
    between = [count for run in r.values() for count in run["between"]]
    return {
        "004.41": counted(max(between), f"{len(between)} resets, between {min(between)} and "
                          f"{max(between)} Asks each"),
        "004.42": counted(most["earlier"] / (n * smax)),
        "004.43": counted(most["tokens"] / n),
        "004.44": counted(
            max(most["number"], most["session"]) / smax,
            f"sessions go up to {most['session']}; a request's number carries its cycle's parity "
            f"and goes up to {most['number']}: with smax numbers alone an old request can look "
            "new, see the errata",
        ),
    }  # fmt: skip


# Recovery.

CRASHES: Final = {
    1: [[150.0, 0]],
    2: [[150.0, 0], [211.0, 3]],
    4: [[150.0, 0], [211.0, 3], [272.0, 6], [333.0, 9]],
}


def recovery(scale: Scale) -> dict[str, Task]:
    found: dict[str, Task] = {}
    for base in ("token-gme", "ra1"):
        for phases in ("3", "2", "1"):
            for n in (4, 8, 16):
                for waiting in (0, n // 2, n - 2):
                    found[f"scene {base} {phases} {n} {waiting}"] = task(
                        "tokens.recovery", base=base, phases=phases, n=n, waiting=waiting
                    )
            for seed in range(scale.of(5, 2)):
                workload = {"n": 10, "groups": 3, "requests": 30, "seed": 1 + seed}
                for f, crashes in {0: [], **CRASHES}.items():
                    found[f"run {base} {phases} {f} {seed}"] = task(
                        "simulated.run", algorithm="restart", quorum=None, workload=workload,
                        options={"base": base, "phases": phases}, crashes=crashes,
                    )  # fmt: skip
                found[f"plain {base} {seed}"] = task(
                    "simulated.run", algorithm=base, quorum=None, options={}, workload=workload
                )
    for f in (1, 2, 3, 4):
        found[f"again {f}"] = task("tokens.asked_again", n=8, failures=f)
    return found


def read_recovery(r: Named) -> dict[str, Measured]:
    restarts: dict[str, float] = {}
    old, normal = [], []
    for name, run in r.items():
        if name.startswith("scene"):
            _, base, phases, n, _ = name.split()
            share = run["restart"] / (5 * (int(n) - 1))
            restarts[phases] = max(restarts.get(phases, 0.0), share)
            if base == "token-gme":
                old.append(run["old"] / (2 * int(n) - 1))
                normal.append(run["normal"] / (2 * int(n) - 1))
    whole = []
    dearer = []
    for name, run in r.items():
        kind, *rest = name.split()
        if kind == "run":
            base, phases, f, seed = rest
            made = 10 * 30
            if base == "token-gme" and phases == "3":
                whole.append(run["messages"] / (19 * made + 5 * 9 * int(f)))
            if f == "0":
                dearer.append(run["messages"] - r[f"plain {base} {seed}"]["messages"])
    again = {f: r[f"again {f}"]["sent"] / (8 * f) for f in (1, 2, 3, 4)}
    told = ", ".join([f"{p} phases {share:.2f}" for p, share in restarts.items()])
    return {
        "004.46": counted(restarts["3"], f"largest over n, bases and who waits: {told}"),
        "004.47a": counted(max(old), "three phases: a Leave each; one phase: asked again"),
        "004.47b": counted(max(normal)),
        "004.48": counted(max(whole), "f = 1, 2 and 4 crashes, n = 10"),
        "004.49": counted(
            max(again.values()),
            "with one phase a request sends its Asks again after each failure: "
            + ", ".join([f"{r[f'again {f}']['sent']} for f = {f}" for f in again])
            + ". Without its first n-1, which are no failure's, it is "
            + f"{max([(r[f'again {f}']['sent'] - 7) / (8 * f) for f in again]):.2f} of n f at most",
        ),
        "004.50": counted(max([abs(d) for d in dearer]), "each message has one integer more"),
    }


# The width of an integer, and the large points.


def width(scale: Scale) -> Sweep:
    points = {
        float(bits): {**BASE, "bandwidth": 100_000 / bits, "requests": scale.of(40, 12, 150)}
        for bits in (16, 32, 64)
    }
    return Sweep(points, [TOKEN, RA2], scale.of(4, 3, 6))


def read_width(results: Results, scale: Scale) -> dict[str, Measured]:
    at = width(scale).ratios(results, TOKEN, RA2, s.WAITING)
    told = ", ".join([f"{r.mean:.3f} with {bits:.0f} bits" for bits, r in at.items()])
    half = 100 * (at[64].half + at[32].half)
    return {"004.18": Measured(100 * (at[64].mean - at[32].mean), half, f"the ratios: {told}")}


def large(scale: Scale) -> Sweep:
    return Sweep({500.0: {**BASE, "n": 500, "requests": scale.of(20, 2)}}, [TOKEN, RA2, FIFO], 3)


def read_large(results: Results, scale: Scale) -> dict[str, Measured]:
    at = large(scale)
    size = at.ratio(results, TOKEN, RA2, 500, s.SIZE)
    wait = s.lower(at.ratio(results, TOKEN, RA2, 500, s.WAITING))
    gain = s.higher(at.ratio(results, TOKEN, RA2, 500, s.THROUGHPUT))
    order = s.lower(at.ratio(results, TOKEN, FIFO, 500, s.WAITING))
    more = s.higher(at.ratio(results, TOKEN, FIFO, 500, s.THROUGHPUT))
    note = (
        f"{at.seeds} seeds, {at.points[500]['requests']} requests a process; waiting is "
        f"{wait.mean:.0f} ± {wait.half:.0f}% lower, throughput {gain.mean:.0f} ± {gain.half:.0f}% "
        f"higher; priority against fifo {order.mean:.0f} ± {order.half:.0f}% and {more.mean:.0f} "
        f"± {more.half:.0f}%"
    )
    return {"004.28b": Measured(size.mean, size.half, note)}


CONTENDERS: Final[tuple[Contender, ...]] = (TOKEN, RA2, FIFO)

EXPERIMENTS: Final = (
    Experiment("004-costs", "What TokenGME costs", "Figure 6's workload; exponents are slopes on "
               "logarithmic scales, with their intervals.", costs_tasks, costs),
    of_scenes("004-scenes", "TokenGME, request by request",
              "Every channel takes one unit of time.", scenes, read_scenes),
    of_scenes("004-ages", "Who is passed over, and for how long",
              "One site wants a group of its own, all others crowd one group after another; what "
              "primary tokens say of their queues is read.", ages, read_ages),
    of_scenes("004-others", "What the paper says of other algorithms",
              "Alone and handing over: channels of one unit of time. Growth: all ask again at "
              "once; surficial quorums of 4 groups, projective planes for Surrogate.",
              others, read_others),
    of_scenes("004-checked", "One primary token, and smax = 2", "The checker.", checked,
              read_checked),
    of_scenes("004-bounded", "Bounded numbers", "n = 5, smax = 4; what messages say is read.",
              bounded, read_bounded),
    of_scenes("004-recovery", "Recovery from crashes", "The restart round token-gme and ra1 with "
              "3, 2 and 1 phases.", recovery, read_recovery),
    Experiment("004-width", "How wide an integer is", "The base point of figure 6; the paper gives "
               "its bandwidth in bits.", lambda scale: width(scale).tasks(), read_width),
    Experiment("004-large", "Figures 6(f) and 7(a) at n = 500", "Asked for by --large or by this "
               "id.", lambda scale: large(scale).tasks(), read_large),
)  # fmt: skip
