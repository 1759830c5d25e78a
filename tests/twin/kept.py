"""Scenarios that once failed, made smaller; docs/twin.md tells what was repaired."""

from __future__ import annotations

from typing import Final

from grouplock.twin.scenario import PAUSE, STALL, STOP, TORN, Fault, Scenario

KEPT: Final = [
    # A lease that had ended was renewed while the application could not be told.
    Scenario(
        seed=14,
        nodes=1,
        clients=3,
        tasks=1,
        requests=17,
        groups=2,
        lease=1.0,
        delay=0.0005,
        faults=(Fault(0.2108, PAUSE, (1,), 3.3232), Fault(2.4267, STALL, (1,), 1.325)),
    ),
    # What was given up before its node could grant was granted all the same.
    Scenario(
        seed=15,
        nodes=4,
        clients=4,
        locks=1,
        groups=4,
        lease=10.0,
        delay=0.0005,
        faults=(
            Fault(24.997, STOP, (2,), 22.6003),
            Fault(31.2, STOP, (3,), 2.3645),
            Fault(49.4232, TORN, (3,), 15.0863),
        ),
    ),
    # A hold that had lapsed was given back by one frame, which was lost.
    Scenario(
        seed=21,
        nodes=3,
        clients=3,
        tasks=3,
        requests=4,
        lease=1.0,
        delay=0.02,
        faults=(Fault(0.8771, PAUSE, (5,), 0.9255),),
    ),
    # A pulse renewed what its node had known of the client before it came back.
    Scenario(
        seed=5417,
        nodes=2,
        clients=4,
        tasks=3,
        requests=6,
        groups=2,
        lease=10.0,
        faults=(Fault(12.9163, TORN, (0,), 0.6111), Fault(14.6704, TORN, (1,), 0.3206)),
    ),
]
