"""Generated source: names that do not collide, indentation, origins of lines, shared code."""

from __future__ import annotations

import pytest

from inlay._src.base.interpreter.source import Source


def written(values: list[float]) -> Source:
    source = Source({"start": 0.0})
    with source.block("def total(x):"):
        source.write("s = start")
        for k, value in enumerate(values):
            source.mark(k)
            name = source.name("c", value)
            with source.block(f"if x > {k}:"):
                source.write(f"s += {name} / x")
        source.mark("end")
        source.write("return s")
    return source


def test_what_is_written_runs_with_the_objects_that_were_named() -> None:
    total = written([1.0, 2.0, 4.0]).function("total", "<total>")
    assert total(1.0) == 1.0
    assert total(10.0) == pytest.approx(0.7)


def test_names_count_up_per_beginning_and_end_with_a_number() -> None:
    source = Source({})
    assert [source.name("k", 1), source.name("k", 1), source.name("u", 1)] == ["k_0", "k_1", "u_0"]
    assert source.names == {"k_0": 1, "k_1": 1, "u_0": 1}


def test_sources_of_equal_structure_share_their_code_and_not_their_objects() -> None:
    one, two = written([1.0]).function("total", "<total>"), written([5.0]).function("total", "<total>")
    assert one.__code__ is two.__code__
    assert (one(1.0), two(1.0)) == (1.0, 5.0)
    assert written([1.0]).function("total", "<elsewhere>").__code__ is not one.__code__


def test_a_line_tells_what_it_was_written_for() -> None:
    source = written([1.0, 2.0])
    total = source.function("total", "<total>")
    with pytest.raises(TypeError) as caught:
        total("text")
    trace = caught.value.__traceback__
    assert trace is not None and trace.tb_next is not None
    assert source.origin(trace.tb_next.tb_lineno) == 0
    assert source.origin(len(source.lines)) == "end"


def test_a_block_ends_with_its_body_also_when_writing_fails() -> None:
    source = Source({})
    with pytest.raises(ValueError, match="no"), source.block("if True:"):
        raise ValueError("no")
    source.write("x = 1")
    assert source.lines == ["if True:", "x = 1"]
