"""Tests of the quorum library, mostly by trying everything."""
