"""The registry of lowerings: what may be declared, and what the page and the choice of a source read."""

from __future__ import annotations

from dataclasses import replace

import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan.build import build
from inlay._src.engine.run.executable import SOURCES, Executable
from inlay._src.engine.run.lowering.chunks import CHUNKED
from inlay._src.engine.run.lowering.whole import WHOLE_PLAN
from inlay._src.engine.run.registry import LOWERINGS, declare
from scripts import execution


def chain(length: int) -> Executable:
    with tf.Graph().as_default() as graph:
        x = y = tf.compat.v1.placeholder(tf.float32, [])
        for _ in range(length):
            y = tf.sin(y)
        return Executable(build(graph, [y], [x]))


def test_a_name_is_declared_once_and_a_group_is_known() -> None:
    before = dict(LOWERINGS)
    with pytest.raises(ValueError, match="'whole plan'"):
        declare(WHOLE_PLAN)
    with pytest.raises(ValueError, match="'elsewhere'"):
        declare(replace(WHOLE_PLAN, name="new", group="elsewhere"))
    assert before == LOWERINGS


@pytest.mark.parametrize(("length", "source"), [(1, WHOLE_PLAN), (TUNING.written_steps + 1, CHUNKED)])
def test_one_source_applies_to_each_plan(length: int, source: object) -> None:
    assert [s for s in SOURCES if s.applies(chain(length))] == [source]


def test_the_page_has_each_lowering_with_its_sentence() -> None:
    (text,) = execution.pages().values()
    assert all(f"| {e.name} | {e.description} |" in text for e in LOWERINGS.values())
    assert all(e.description.endswith(".") and e.description.count(". ") == 0 for e in LOWERINGS.values())
