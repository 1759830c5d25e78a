"""Every run of the tests is the same: what hypothesis draws follows from the test alone."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repository",
    derandomize=True,
    deadline=None,  # a slow machine is no failure
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repository")
