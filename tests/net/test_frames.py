"""Frames: what goes in comes out, in whatever pieces it arrives, and nothing makes them swell."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouplock.net.errors import OversizedFrame
from grouplock.net.frames import PREFIX, Frames, frame


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({min(c, len(data)) for c in cuts} | {0, len(data)})
    return [data[a:b] for a, b in itertools.pairwise(places)]


@given(st.lists(st.binary(max_size=40)), st.lists(st.integers(0, 400)))
def test_any_cutting_gives_the_same_bodies(bodies: list[bytes], cuts: list[int]) -> None:
    frames = Frames(limit=40)
    taken = []
    for piece in pieces(b"".join([frame(b) for b in bodies]), cuts):
        frames.feed(piece)
        while (body := frames.take()) is not None:
            taken.append(body)
    assert taken == bodies


@given(st.lists(st.binary(max_size=64), max_size=30))
def test_random_bytes_never_make_it_keep_more_than_a_frame_and_a_read(reads: list[bytes]) -> None:
    frames = Frames(limit=100)
    for data in reads:
        frames.feed(data)
        try:
            while frames.take() is not None:
                pass
        except OversizedFrame:
            return
        assert len(frames.kept) <= PREFIX + frames.limit + 64


def test_a_length_beyond_the_limit_is_refused_before_its_body_comes() -> None:
    frames = Frames(limit=100)
    frames.feed((101).to_bytes(PREFIX, "big"))
    with pytest.raises(OversizedFrame, match="101 bytes; at most 100"):
        frames.take()


def test_a_frame_of_exactly_the_limit_is_taken() -> None:
    frames = Frames(limit=100)
    frames.feed(frame(bytes(100)))
    assert frames.take() == bytes(100)
