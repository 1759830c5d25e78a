"""Broken variants of the algorithms, a file for each family; a new file is found."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Final

from tests.mutants.mutant import Mutant

MUTANTS: Final[list[Mutant]] = [
    mutant
    for found in pkgutil.iter_modules(__path__)
    for mutant in getattr(importlib.import_module(f"{__name__}.{found.name}"), "MUTANTS", ())
]
