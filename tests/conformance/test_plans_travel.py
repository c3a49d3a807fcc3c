"""A plan is data: pickled and run by another interpreter process, it gives the same values, bit for bit."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Effect
from inlay._src.core.tables import references
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.plan import Plan, Step, verify
from inlay._src.engine.plan.segment import segmented
from inlay._src.engine.run import reference
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.xla_segments import everywhere
from tests.conformance.samples import SAMPLES
from tests.conformance.sampling import Case, cases
from tests.conformance.test_runners import Program
from tests.unit.run.test_xla_segments import random_graph

CHILD = """
import pickle, sys
import numpy as np
from inlay._src.engine.run.executable import Executable

def run(plan, fed):
    made, found = Executable(plan), []
    for _ in range(4):  # by the reference interpreter, then by the generated function
        cells = made.template.copy()
        for slot, value in zip(made.feeds, fed, strict=True):
            cells[slot] = value.copy()
        with np.errstate(all="ignore"):
            made.execute(cells)
        found.append([cells[slot] for slot in made.fetches])
    assert made.body is not None
    return found

jobs = pickle.load(sys.stdin.buffer)
sys.stdout.buffer.write(pickle.dumps([run(pickle.loads(plan), fed) for plan, fed in jobs]))
"""


def needs_tables(plan: Plan) -> bool:
    """Whether a plan, or a program that it runs, refers to live state: host functions, variables, gradient rules."""
    # A pullback reads what the run itself recorded.
    held = [(s.attrs, s.opdef.effect is not Effect.PURE and s.op != "Pullback") for s in plan.steps]
    return bool(
        plan.resources
        or any(s.token is not None for s in plan.steps)
        or any(changing or any(r.table != "functions" for r in references(attrs)) for attrs, changing in held)
        or any(needs_tables(program.plan) for program in plan.programs.values())
        or any(references([value for _, value in plan.consts]))
    )


def placeholders(case: Case) -> tuple[list[Any], list[Any]]:
    """An op's inputs as placeholders, as far as they are not static, and what to feed."""
    fed: list[Any] = []

    def fill(array: Any) -> Any:
        fed.append((tf.compat.v1.placeholder(tf.as_dtype(np.asarray(array).dtype), np.shape(array)), array))
        return fed[-1][0]

    inputs = [
        x if arg.static else [fill(a) for a in x] if arg.variadic else fill(x)
        for arg, x in zip(case.op.args, case.inputs, strict=True)
    ]
    return inputs, fed


def plans_of_ops() -> Iterator[tuple[Plan, list[Any]]]:
    """A plan of every op, in the first type that it takes."""
    for name, row in sorted(SAMPLES.items()):
        case = next(cases(OPS[name], row), None)
        if case is None or OPS[name].effect is not Effect.PURE:
            continue
        with tf.Graph().as_default() as graph:
            inputs, fed = placeholders(case)
            outputs = outputs_of(case, inputs)
            yield build(graph, outputs, [p for p, _ in fed]), [np.asarray(v) for _, v in fed]


def outputs_of(case: Case, inputs: list[Any]) -> list[Any]:
    made = emit(case.op, tuple(inputs), case.attrs)
    return list(made) if isinstance(made, (list, tuple)) else [made]


def plans_of_random_graphs() -> Iterator[tuple[Plan, list[Any]]]:
    """Plans of what random graphs compute without user code, also joined into segments, and of its gradients."""
    for seed in range(40):
        graph, feeds, tensors = random_graph(seed)
        fed = [np.arange(1, 4).astype(f.dtype.np) for f in feeds]
        for tensor in tensors[4::3]:
            yield build(graph, [tensor], feeds), fed
            if seed < 6:
                yield segmented(build(graph, [tensor], feeds)), fed
        with graph.as_default():
            slopes = [g for g in tf.gradients(tensors[-1], feeds) if g is not None] if seed % 4 == 0 else []
        if slopes:
            yield build(graph, slopes, feeds), fed
    for seed in range(60):
        program = Program(seed, failing=False)
        for tensor in program.fetches:
            yield build(program.graph, [tensor], program.inputs), program.feeds()


def plans_that_run_programs() -> Iterator[tuple[Plan, list[Any]]]:
    """Plans whose steps run branches, loops and functions, also nested, and their gradients; also compiled."""
    triple = tf.function(lambda v: 3.0 * v)

    @tf.function
    def nested(v: Any) -> Any:
        return tf.cond(tf.reduce_sum(v) > 2.0, lambda: triple(v) - 1.0, lambda: tf.sin(v))

    def while_positive(v: Any) -> Any:
        return tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * nested(v) + 0.5), [0, v])[1]

    def chosen(v: Any) -> Any:
        at = tf.cast(tf.reduce_sum(v), tf.int32)
        return tf.switch_case(at, [lambda: v * 2.0, lambda: tf.exp(v), lambda: triple(v) * v])

    def first_that_holds(v: Any) -> Any:
        total = tf.reduce_sum(v)
        return tf.case([(total > 3.0, lambda: v * v), (total > 1.0, lambda: triple(v))], default=lambda: -v)

    computed: list[Any] = [
        lambda v: tf.cond(tf.reduce_sum(v) > 2.0, lambda: v * 2.0, lambda: v + 1.0),
        chosen,
        first_that_holds,
        while_positive,
        nested,
        triple,
        lambda v: tf.map_fn(lambda x: tf.cond(x > 0.5, lambda: x * x, lambda: -x), v),
        lambda v: tf.scan(lambda a, x: a * 0.5 + triple(x), v),
        lambda v: tf.foldl(lambda a, x: a + x * x, v),
    ]
    for compute in computed:
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [3])
            y = compute(x)
            (dx,) = tf.gradients(y, x)
            (d2x,) = tf.gradients(dx * dx, x) if compute not in (computed[6], computed[7], computed[8]) else (dx,)
            plans = [build(graph, fetches, [x]) for fetches in ([y], [dx], [y, d2x])]
        for plan in (*plans, *map(everywhere, plans)):
            for fed in ([0.25, 0.5, 0.75], [1.0, 2.0, -0.5]):
                yield plan, [np.array(fed, np.float32)]


def here(plan: Plan, fed: list[Any]) -> list[Any] | None:
    """What the reference interpreter makes of a plan; None if it refuses the values."""
    made = Executable(plan)
    cells = made.template.copy()
    for slot, value in zip(made.feeds, fed, strict=True):
        cells[slot] = value.copy()
    try:
        with np.errstate(all="ignore"):
            reference.execute(made.steps, made.calls, cells)
    except tf.errors.OpError:
        return None
    return [cells[slot] for slot in made.fetches]


def is_compiled(plan: Plan) -> bool:
    """Whether XLA runs any of it."""
    return any("segment" in s.attrs for s in plan.steps) or any(is_compiled(p.plan) for p in plan.programs.values())


def same(got: Any, expected: Any, exactly: bool) -> None:
    assert (np.asarray(got).dtype, np.shape(got)) == (np.asarray(expected).dtype, np.shape(expected))
    if exactly or np.asarray(expected).dtype.kind not in "fc":
        np.testing.assert_array_equal(got, expected)
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)


SOURCES = ((plans_of_ops, 150), (plans_of_random_graphs, 150), (plans_that_run_programs, 108))
"""What makes plans, and how many of them at least need nothing that stays behind."""


def test_another_process_runs_the_plans() -> None:
    jobs: list[tuple[bytes, list[Any]]] = []
    expected: list[tuple[Plan, list[Any]]] = []
    for source, fewest in SOURCES:
        before = len(jobs)
        for plan, fed in source():
            verify(plan)
            if not needs_tables(plan) and (made := here(plan, fed)) is not None:
                jobs.append((pickle.dumps(plan), fed))
                expected.append((plan, made))
        assert len(jobs) - before >= fewest, f"too few plans of {source.__name__} were built without live objects"
    done = subprocess.run(
        [sys.executable, "-c", CHILD], input=pickle.dumps(jobs), capture_output=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    for (plan, values), runs in zip(expected, pickle.loads(done.stdout), strict=True):
        compiled = is_compiled(plan)
        for found in runs:
            for value, expected in zip(found, values, strict=True):
                same(value, expected, exactly=not compiled)


def test_a_step_travels_with_its_op_its_types_and_its_place() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None])
        plan = build(graph, [tf.sin(x) * 2.0], [x])
    again = pickle.loads(pickle.dumps(plan))
    assert str(again) == str(plan)
    step, twin = plan.steps[0], again.steps[0]
    assert isinstance(twin, Step)
    assert twin.opdef is step.opdef is OPS["Sin"]
    assert twin.dtypes[0] is tf.float32
    assert twin.site == step.site
    assert Path(twin.site.filename) == Path(__file__)


def test_a_plan_with_live_objects_travels_to_where_its_graph_is() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = tf.numpy_function(lambda v: v + 1, [x], tf.float32)
        z = tf.cond(y > 0.0, lambda: y * 2.0, lambda: y)
        plan = pickle.loads(pickle.dumps(build(graph, [z], [x])))
    made = Executable(plan, graph)
    cells = made.template.copy()
    cells[made.feeds[0]] = np.float32(2)
    made.execute(cells)
    assert cells[made.fetches[0]] == 6


def test_binding_says_what_did_not_travel() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [])
        called = build(graph, [tf.numpy_function(lambda v: v + 1, [x], tf.float32, name="mine")], [x])
        inside = tf.cond(x > 0.0, lambda: tf.numpy_function(lambda v: v + 1, [x], tf.float32, name="deep"), lambda: x)
        branch = build(graph, [inside], [x])
        held = build(graph, [tf.Variable(1.0, name="weight") * x], [x])
        ruled = build(graph, [tf.custom_gradient(lambda v: (v, lambda dy: dy))(x)], [x])
    for plan, named in ((called, "'mine'"), (branch, "'deep'"), (held, "'resources'"), (ruled, "'gradients'")):
        again = pickle.loads(pickle.dumps(plan))
        with pytest.raises(tf.errors.NotFoundError, match=rf"{named}.*did not travel.*Executable\(plan, graph\)"):
            Executable(again)


def test_what_came_along_travels_on() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [])
        plan = build(graph, [tf.cond(x > 0.0, lambda: x * 2.0, lambda: -x)], [x])
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(plan))))
    assert here(again, [np.float32(3)]) == [6]


@pytest.mark.skipif(
    "INLAY_PICKLE_PLANS" in os.environ,
    reason="each of the nested plans is pickled while the one around it is bound: too deep a recursion",
)
def test_deep_branches_travel() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [])
        pairs = [(x > float(i), lambda i=i: x * float(i)) for i in range(120)]
        plan = build(graph, [tf.case(pairs, default=lambda: -x)], [x])
    assert here(pickle.loads(pickle.dumps(plan)), [np.float32(1)]) == [0]
