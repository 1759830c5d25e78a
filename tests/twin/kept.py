"""Scenarios that once failed, made smaller; docs/twin.md tells what was repaired."""

from __future__ import annotations

from typing import Final

from grouplock.twin.scenario import Fault, Scenario

KEPT: Final[list[Scenario]] = []
