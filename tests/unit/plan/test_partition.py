"""Plans cut into parts by task: what each has, and that together they compute what the whole does."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.opdef import Role
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.partition import Part, Task, local, parted, text
from inlay._src.engine.plan.plan import Plan, verify
from inlay._src.engine.plan.rewrite import Passes
from inlay._src.engine.run.executable import Executable

v1 = tf.compat.v1


def task_of(device: str, step: str) -> Task:
    named = dict(p.split(":", 1) for p in device.split("/") if p and not p.startswith("device"))
    return named.get("job", "w"), int(named.get("task", 0))


def cut(graph: Any, fetches: list[Any], feeds: list[Any]) -> tuple[Plan, list[Part]]:
    plan = build(graph, fetches, feeds, Passes(fold=False))
    homes = {n.attrs["handle"]: n.device for n in graph.nodes if n.opdef.role is Role.VARIABLE}
    parts = parted(plan, task_of, homes)
    for part in parts:
        verify(part.plan)
    return plan, parts


def run(graph: Any, plan: Plan, parts: list[Part], fed: dict[int, Any], store: dict[Any, Any]) -> list[Any]:
    """What the parts give, run one after the other; cells that stay on a task are kept by task."""
    cells: list[Any] = [None] * plan.slots
    for slot, value in (*plan.consts, *fed.items()):
        cells[slot] = value
    kept: dict[tuple[Task, int], Any] = {}
    for part in parts:
        made = Executable(part.plan, graph)
        own = made.template.copy()
        for slot, value in zip(
            made.feeds, [*(cells[c] for c in part.ins), *(kept[part.task, c] for c in part.found)], strict=True
        ):
            assert value is not None
            own[slot] = value
        for slot, key in made.resources:
            own[slot] = store.setdefault(key, key.make())
        made.execute(own)
        for c in part.outs:
            cells[c] = own[c]
        kept |= {(part.task, c): own[c] for c in part.left}
    return [cells[c] for c in plan.fetches]


def shown(parts: list[Part]) -> list[tuple[str, list[str]]]:
    return [(text(p.task), [s.name for s in p.plan.steps]) for p in parts]


def test_steps_of_one_task_between_crossings_are_one_part() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [], name="x")
        with tf.device("/job:w/task:1"):
            a = tf.add(x, 1.0, name="a")
            b = tf.multiply(a, a, name="b")
        c = tf.add(x, 2.0, name="c")
        d = tf.multiply(b, c, name="d")
        with tf.device("/job:w/task:1"):
            e = tf.subtract(d, b, name="e")
        plan, parts = cut(graph, [e], [x])
    assert sorted(shown(parts)[:2]) == [("/job:w/task:0", ["c"]), ("/job:w/task:1", ["a", "b"])]
    assert shown(parts)[2:] == [("/job:w/task:0", ["d"]), ("/job:w/task:1", ["e"])]
    assert all(p.after == () for p in parts)
    first = next(p for p in parts if p.task == ("w", 1))
    assert len(first.outs) == 1  # `a` is nobody else's
    assert run(graph, plan, parts, {plan.feeds[0].slot: np.float32(3)}, {}) == [64.0]


def test_control_inputs_hold_between_parts() -> None:
    with tf.Graph().as_default() as graph:
        with tf.device("/job:w/task:1"):
            first = tf.numpy_function(lambda: np.float32(1), [], tf.float32, name="first")
        with tf.control_dependencies([first]):
            second = tf.numpy_function(lambda: np.float32(2), [], tf.float32, name="second")
        _, parts = cut(graph, [second], [])
    assert shown(parts) == [("/job:w/task:1", ["first"]), ("/job:w/task:0", ["second"])]
    assert (parts[0].outs, parts[1].ins, parts[1].after) == ((), (), (0,))


def test_what_takes_a_variable_runs_where_that_lies() -> None:
    with tf.Graph().as_default() as graph:
        with tf.device("/job:ps/task:2"):
            v = v1.get_variable("v", initializer=3.0, use_resource=True)
        update = v.assign_add(tf.constant(1.0) * 2.0)
        plan, parts = cut(graph, [v.initializer, update], [])
        tasks = {s.op: p.task for p in parts for s in p.plan.steps}
    assert tasks["AssignVariableOp"] == tasks["AssignAddVariableOp"] == ("ps", 2)
    assert tasks["Mul"] == ("w", 0)


def test_variables_of_two_tasks_in_one_step_are_refused() -> None:
    with tf.Graph().as_default() as graph:
        with tf.device("/task:1"):
            v = v1.get_variable("v", initializer=3.0, use_resource=True)
        with tf.device("/task:2"):
            w = v1.get_variable("w", initializer=3.0, use_resource=True)
        y = tf.cond(tf.constant(1.0) > 0.0, lambda: v + w, lambda: v - w)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Cannot colocate 'cond.*/task:1 and variable w of"):
            cut(graph, [y], [])


def test_pullbacks_stay_on_their_task() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [])
        with tf.device("/job:w/task:1"):
            y = tf.py_function(lambda t: t * t * t, [x], tf.float32)
        slope = tf.gradients(y, x)[0]
        plan, parts = cut(graph, [y, slope], [x])
    back = next(p for p in parts if any(s.op == "Pullback" for s in p.plan.steps))
    forward = next(p for p in parts if any(s.op == "EagerPyFunc" for s in p.plan.steps))
    assert back.task == forward.task == ("w", 1)
    if back is not forward:
        assert forward.left == back.found and parts.index(forward) in back.after
    assert run(graph, plan, parts, {plan.feeds[0].slot: np.float32(2)}, {}) == [8.0, 12.0]


@pytest.mark.parametrize("seed", range(25))
def test_random_graphs_give_the_same_cut_or_whole(seed: int) -> None:
    draw = random.Random(seed)
    with tf.Graph().as_default() as graph:
        feeds = [v1.placeholder(tf.float32, []) for _ in range(2)]
        tensors: list[Any] = [*feeds, tf.constant(1.5)]
        for _ in range(30):
            with tf.device(draw.choice(["", "/task:1", "/job:ps/task:0"])):
                a, b = draw.choices(tensors, k=2)
                with tf.control_dependencies(draw.sample(tensors, 1)):
                    made = draw.choice(
                        [
                            lambda a=a, b=b: a + b,
                            lambda a=a, b=b: tf.maximum(a, b),
                            lambda a=a, b=b: tf.numpy_function(lambda u, v: u - v, [a, b], tf.float32),
                            lambda a=a: tf.tanh(a),
                        ]
                    )()
                tensors.append(made)
        fetches = draw.sample(tensors[3:], 4)
        plan, parts = cut(graph, fetches, feeds)
        values = [np.float32(0.5), np.float32(-1.25)]
        with v1.Session() as session:
            whole = session.run(fetches, dict(zip(feeds, values, strict=True)))
    assert len({p.task for p in parts}) > 1
    found = run(graph, plan, parts, {f.slot: v for f, v in zip(plan.feeds, values, strict=True)}, {})
    np.testing.assert_array_equal(found, whole)


def test_the_device_of_a_task_is_what_is_left_of_the_string() -> None:
    assert [local(d) for d in ("/job:w/task:1/device:GPU:0", "/job:w", "/device:CPU:0", "")] == [
        "/device:GPU:0",
        "",
        "/device:CPU:0",
        "",
    ]
