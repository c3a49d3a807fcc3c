"""What follows from a plan for its cells: local variables, copies to give, memory that may be written into."""

from __future__ import annotations

from typing import Any

import inlay as tf
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.layout import CellLayout
from inlay._src.engine.plan.plan import Plan, last_uses


def plan_of(function: Any, count: int = 2, size: int | None = 3) -> Plan:
    with tf.Graph().as_default() as graph:
        feeds = [tf.compat.v1.placeholder(tf.float32, [size]) for _ in range(count)]
        return build(graph, function(*feeds), feeds)


def test_what_only_steps_see_is_a_local_variable() -> None:
    plan = plan_of(lambda x, y: [tf.sin(x) + y])
    cells = CellLayout(plan)
    (fetched,) = plan.fetches
    assert fetched not in cells.local and cells[fetched] == f"V[{fetched}]"
    between = plan.steps[0].outs[0]
    assert cells[between] == f"v{between}"
    assert cells.taken == [f.slot for f in plan.feeds], "each is read by one step"


def test_what_is_fetched_or_read_twice_stays_in_its_cell() -> None:
    plan = plan_of(lambda x, y: [tf.sin(x) + tf.cos(x), y])
    x, y = (f.slot for f in plan.feeds)
    cells = CellLayout(plan)
    assert cells.givers == {x} and cells.taken == []
    assert cells[x] == f"V[{x}]" and cells[y] == f"V[{y}]"
    assert cells.lasting == set(plan.fetches)


def test_a_run_that_may_be_taken_over_has_no_local_variables() -> None:
    plan = plan_of(lambda x, y: [tf.numpy_function(abs, [v], tf.float32) for v in (x, y)])
    assert plan.concurrent
    assert CellLayout(plan).local == set()


def test_memory_is_written_into_by_the_last_reader_of_its_dtype() -> None:
    plan = plan_of(lambda x, y: [tf.sin(x) * tf.cos(y)], size=None)
    cells = CellLayout(plan)
    product = plan.steps[-1]
    assert cells.last_read_by(product) == set(product.ins)
    assert cells.reusable(product) == 0
    twice = plan_of(lambda x, y: [tf.sin(x) * tf.sin(x)], size=None).steps[-1]
    assert twice.ins[0] == twice.ins[1]
    assert CellLayout(plan_of(lambda x, y: [tf.sin(x) * tf.sin(x)], size=None)).reusable(twice) is None
    compared = plan_of(lambda x, y: [tf.sin(x) < tf.cos(y)], size=None)
    assert CellLayout(compared).reusable(compared.steps[-1]) is None, "a bool does not fit"


def test_the_last_step_to_use_a_cell_frees_it() -> None:
    uses = [((0, 1), (2,)), ((2, 0), (3, -1)), ((3,), (4,))]
    assert last_uses(uses, retained={1, 4}) == [(), (0, 2), (3,)]
