"""grouplock: a distributed group lock, and the reference for the algorithms behind it."""

from grouplock._build import prefer_sources_if_asked

__version__ = "0.1.0"

prefer_sources_if_asked()
