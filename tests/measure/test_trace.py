"""A trace is read as it was written; what is none is refused with its line."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouplock.measure.trace import BadTrace, Header, Step, end_line, header_line, read, step_line

HEADER = Header("sim", "ra1", {}, 3, 2, 1, 1, 7, "", "grouplock sim ra1 --n 3")

plain = st.recursive(
    st.integers() | st.text() | st.booleans(),
    lambda inner: st.lists(inner).map(tuple),
)
parts = st.lists(plain).map(tuple)
steps = st.builds(
    Step,
    at=st.floats(0, allow_infinity=False),
    site=st.integers(0, 99),
    do=parts,
    out=st.lists(parts).map(tuple),
)


def file(*lines: str) -> io.StringIO:
    return io.StringIO("".join([line + "\n" for line in lines]))


@given(st.lists(steps))
def test_what_was_written_is_read(written: list[Step]) -> None:
    end = end_line("violation", property="exclusion", reason="two")
    lines = file(header_line(HEADER), *[step_line(s) for s in written], end)
    assert list(read(lines)) == [
        HEADER,
        *written,
        {"end": "violation", "property": "exclusion", "reason": "two"},
    ]


def test_a_run_that_was_cut_off_has_no_end() -> None:
    step = Step(0.5, 1, ("request", 1, (0,)), ())
    assert list(read(file(header_line(HEADER), step_line(step)))) == [HEADER, step]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "line 1 is not part of a trace: the file is empty"),
        (["hello"], "line 1 is not part of a trace"),
        (["[]"], "line 1 is not part of a trace"),
        (["{}"], "line 1 is not part of a trace"),
        (['{"grouplock": 99}'], "this trace is of another version of grouplock"),
        (['{"grouplock": 1}'], "line 1 is not part of a trace"),
        (["[" * 100_000], "line 1 is not part of a trace"),
        ([header_line(HEADER), "3"], "line 2 is not part of a trace"),
        ([header_line(HEADER), '{"at": 1}'], "line 2 is not part of a trace"),
        ([header_line(HEADER), '{"at": 1, "site"'], "line 2 is not part of a trace"),
    ],
)
def test_what_is_no_trace_is_refused(lines: list[str], said: str) -> None:
    with pytest.raises(BadTrace) as refusal:
        list(read(file(*lines)))
    assert str(refusal.value).startswith(said)
    assert "\n" not in str(refusal.value)


def test_a_binary_file_is_refused() -> None:
    lines: Any = io.TextIOWrapper(io.BytesIO(b"\x80\x81\n"), encoding="utf-8")
    with pytest.raises(BadTrace):
        list(read(lines))
