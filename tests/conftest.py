"""Every run of the tests is the same: what hypothesis draws follows from the test alone."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# What takes an hour runs where it is asked for: make check-deep.
collect_ignore = [] if os.environ.get("GROUPLOCK_DEEP") == "1" else ["deep"]

settings.register_profile(
    "repository",
    derandomize=True,
    deadline=None,  # a slow machine is no failure
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repository")
