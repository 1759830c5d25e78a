"""The papers' experiments."""

from __future__ import annotations

from typing import Final

from grouplock.lab.experiments import p004_figures, p004_scenes
from grouplock.lab.experiments.experiment import Experiment

EXPERIMENTS: Final[tuple[Experiment, ...]] = (
    *p004_scenes.EXPERIMENTS,
    *p004_figures.EXPERIMENTS,
)
