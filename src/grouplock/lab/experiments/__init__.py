"""The papers' experiments."""

from __future__ import annotations

from typing import Final

from grouplock.lab.experiments import (
    p000_figures,
    p000_scenes,
    p001,
    p002_delays,
    p002_table,
    p003,
    p004_figures,
    p004_scenes,
)
from grouplock.lab.experiments.experiment import Experiment

EXPERIMENTS: Final[tuple[Experiment, ...]] = (
    *p000_scenes.EXPERIMENTS,
    *p000_figures.EXPERIMENTS,
    *p001.EXPERIMENTS,
    *p002_table.EXPERIMENTS,
    *p002_delays.EXPERIMENTS,
    *p003.EXPERIMENTS,
    *p004_scenes.EXPERIMENTS,
    *p004_figures.EXPERIMENTS,
)
