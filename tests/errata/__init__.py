"""Handlers as a paper prints them, each with the run that shows what goes wrong."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Final

from tests.errata.erratum import Erratum

ERRATA: Final[list[Erratum]] = [
    erratum
    for found in pkgutil.iter_modules(__path__)
    if not found.name.startswith("test_")
    for erratum in getattr(importlib.import_module(f"{__name__}.{found.name}"), "ERRATA", ())
]
