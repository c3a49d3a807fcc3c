"""The updates of a step of training run as one: what they leave is what they leave one by one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.core.devices import device_tensor
from inlay._src.core.state import Cell
from inlay._src.engine.run.lowering import writer
from inlay._src.ops import joint_updates
from inlay._src.ops.variables import at_once

v1 = tf.compat.v1
train = v1.train

OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: train.GradientDescentOptimizer(0.1),
    "momentum": lambda: train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda: train.AdagradOptimizer(0.1),
    "adam": lambda: train.AdamOptimizer(0.1),
    "rms": lambda: train.RMSPropOptimizer(0.1, 0.9, 0.5),
    "centered": lambda: train.RMSPropOptimizer(0.1, 0.9, 0.5, centered=True),
    "adadelta": lambda: train.AdadeltaOptimizer(0.1),
    "ftrl": lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "proximal": lambda: train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.01),
    "proximal adagrad": lambda: train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.01),
}
SHAPES: Sequence[tuple[int, ...]] = [(3, 4), (5,), (), (0, 2), (TUNING.small_variable_elements + 1,), (2, 1, 3)]


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many variables each update as one had; 0 where it was refused."""
    seen: list[int] = []
    update = joint_updates._update

    def watched(rule: Any, cells: Any, gradients: Any, *others: Any) -> bool:
        done = update(rule, cells, gradients, *others)
        seen.append(len(gradients) if done else 0)
        return done

    monkeypatch.setattr(joint_updates, "_update", watched)
    monkeypatch.setattr(device_tensor, "_ARRAYS", set())  # as in a process that never had a value on an accelerator
    yield seen


class Training:
    """Variables `w` that an optimizer moves by fed gradients, and everything that it keeps."""

    def __init__(self, make: Callable[[], Any], shapes: Sequence[tuple[int, ...]], dtype: Any = tf.float32) -> None:
        with tf.Graph().as_default() as self.graph:
            starts = [np.linspace(-1, 2, int(np.prod(s))).reshape(s) for s in shapes]
            self.w = [v1.get_variable(f"w{k}", initializer=tf.constant(x, dtype)) for k, x in enumerate(starts)]
            self.gradients = [v1.placeholder(dtype) for _ in shapes]
            self.optimizer = make()
            self.step = self.optimizer.apply_gradients(zip(self.gradients, self.w, strict=True))
            self.all = v1.global_variables()
            self.session = v1.Session(graph=self.graph)
            self.session.run(v1.global_variables_initializer())
        self.shapes, self.dtype, self.turn = shapes, dtype, 0

    def feeds(self) -> dict[Any, Any]:
        """Other gradients at each call."""
        self.turn += 1
        rand = np.random.default_rng(self.turn)
        drawn = [rand.standard_normal(s).astype(self.dtype.as_numpy_dtype) for s in self.shapes]
        return dict(zip(self.gradients, drawn, strict=True))

    def run(self, steps: int = 4) -> list[Any]:
        """Moves the variables; all values then."""
        for _ in range(steps):
            self.session.run(self.step, self.feeds())
        return self.session.run(self.all)  # type: ignore[no-any-return]

    def cell(self, variable: Any) -> Cell:
        """The cell of a variable of the session."""
        key = self.graph.resources[variable._handle.op.attrs["handle"].key]
        return self.session._store.cell(key)  # type: ignore[no-any-return]


def one_by_one(program: Callable[[], Any]) -> Any:
    """What a program gives whose updates run one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "fused_updates", lambda *_: {})
        return program()


def equal(one: Sequence[Any], other: Sequence[Any]) -> None:
    """Holds values against each other, to the bit."""
    for a, b in zip(one, other, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.float16, tf.bfloat16], ids=lambda d: d.name)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_updates_as_one_leave_what_they_leave_one_by_one(name: str, dtype: Any, joined: list[int]) -> None:
    def program() -> Any:
        return Training(OPTIMIZERS[name], SHAPES, dtype).run(5)

    expected = one_by_one(program)
    assert not joined
    equal(program(), expected)
    assert joined and set(joined) == {4}  # neither the number nor the large one


def test_types_and_rates_that_differ_are_updated_apart(joined: list[int]) -> None:
    def program() -> Any:
        with tf.Graph().as_default():
            kinds = [tf.float32, tf.float64, tf.float32, tf.float64, tf.float32]
            w = [v1.get_variable(f"w{k}", initializer=tf.ones([3, k + 1], d)) for k, d in enumerate(kinds)]
            step = train.AdamOptimizer(0.1).apply_gradients([(tf.ones_like(x) * 2, x) for x in w])
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                for _ in range(5):
                    session.run(step)
                return session.run(w)

    expected = one_by_one(program)
    equal(program(), expected)
    assert set(joined) == {2}  # the powers are cast between the first and the second


def test_many_variables_of_a_plan_in_parts_and_of_several_groups(joined: list[int]) -> None:
    def program() -> Any:
        return Training(OPTIMIZERS["adam"], [(60, 200)] * 14 + [(3,)] * 70).run(12)

    expected = one_by_one(program)
    equal(program(), expected)
    assert max(joined) > 10 and len(set(joined)) > 1


def test_what_was_read_stays_and_what_is_assigned_counts(joined: list[int]) -> None:
    def program() -> Any:
        run = Training(OPTIMIZERS["adam"], [(3, 2), (3, 2), (4,)])
        session, (w, other, _), seen = run.session, run.w, []
        m = run.optimizer.get_slot(w, "m")
        with run.graph.as_default():
            to_other, to_slot = w.assign(other), m.assign(tf.fill([3, 2], 0.5))
            added, rows = other.assign_add(tf.ones([3, 2])), v1.scatter_update(w, [1], [[9.0, 9.0]])
        run.run()
        for change in (to_other, to_slot, added, rows, None, None):
            read = session.run([*run.w, m])
            cells = [run.cell(x) for x in (w, other, m)]
            held = [cell.read() for cell in cells]
            before = [x.copy() for x in held]
            if change is not None:
                session.run(change)
            seen += run.run(2)
            equal(held, before)
            equal(read[:2], before[:2])
        return seen

    expected = one_by_one(program)
    equal(program(), expected)
    assert set(joined) == {3}


def test_parts_are_written_into_where_nobody_has_them() -> None:
    run = Training(OPTIMIZERS["momentum"], [(3, 2), (4,)])
    run.run()
    cells = [run.cell(w) for w in run.w]
    before = [cell.value.ctypes.data for cell in cells]
    assert before[1] == before[0] + 6 * 4
    run.run(2)
    assert [cell.value.ctypes.data for cell in cells] == before
    reader = cells[1].read()[:1]  # a view of a part
    kept = reader.copy()
    run.run(1)
    assert cells[0].value.ctypes.data != before[0] and reader.ctypes.data == before[1]
    equal([reader], [kept])


def test_one_memory_serves_all_plans_of_a_session_and_two_optimizers_may_share_variables(joined: list[int]) -> None:
    def program() -> Any:
        with tf.Graph().as_default():
            w = [v1.get_variable(f"w{k}", initializer=tf.ones([k + 2])) for k in range(3)]
            pairs = [(x * 0.5, x) for x in w]
            loss = tf.add_n([tf.reduce_sum(x) for x in w])
            first, second = train.AdamOptimizer(0.1), train.MomentumOptimizer(0.1, 0.9)
            one, two = first.apply_gradients(pairs), second.apply_gradients(pairs)
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                for _ in range(5):
                    session.run(one)
                    session.run([one, loss])
                    session.run(two)
                    session.run(two)
                return session.run(v1.global_variables())

    expected = one_by_one(program)
    equal(program(), expected)
    assert set(joined) == {3}


def test_two_sessions_of_one_graph_keep_apart() -> None:
    run = Training(OPTIMIZERS["adam"], [(3,), (4,)])
    with v1.Session(graph=run.graph) as other:
        with run.graph.as_default():
            other.run([v.initializer for v in run.all])
        start = other.run(run.all)
        run.run()
        equal(other.run(run.all), start)
        for _ in range(4):
            other.run(run.step, dict(zip(run.gradients, [np.ones(3), np.ones(4)], strict=True)))
        assert not np.array_equal(other.run(run.w[0]), run.session.run(run.w[0]))


def test_a_restored_checkpoint_goes_on_as_it_would_have(tmp_path: Any) -> None:
    run = Training(OPTIMIZERS["adam"], [(3,), (4, 2)])
    with run.graph.as_default():
        saver = train.Saver()
    run.run()
    path, turn = saver.save(run.session, str(tmp_path / "model")), run.turn
    expected = run.run(3)
    run.turn = turn
    saver.restore(run.session, path)
    equal(run.run(3), expected)


def test_the_update_that_fails_is_named_and_the_others_of_its_kind_are_done() -> None:
    run = Training(OPTIMIZERS["momentum"], [(3,), (4,), (5,)])
    run.run()
    before = run.session.run(run.w)
    wrong = {**run.feeds(), run.gradients[1]: np.ones(7, np.float32)}
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)does not fit variable 'w1:0'.*update_w1"):
        run.session.run(run.step, wrong)
    after = run.session.run(run.w)
    np.testing.assert_array_equal(after[1], before[1])
    assert not np.array_equal(after[0], before[0])
    run.run(2)


def test_an_uninitialized_variable_is_named() -> None:
    run = Training(OPTIMIZERS["momentum"], [(3,), (4,)])
    run.run()
    with v1.Session(graph=run.graph) as fresh:
        for _ in range(4):
            with pytest.raises(tf.errors.FailedPreconditionError, match="w0"):
                fresh.run(run.step, run.feeds())


def test_a_rule_that_fails_leaves_every_variable_with_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Training(OPTIMIZERS["momentum"], [(3,), (4,)])
    run.run()
    run.session.run([w.initializer for w in run.w])  # not in their parts
    before = run.session.run(run.w)

    def fail(memory: Any) -> None:
        raise MemoryError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(joint_updates.JointMemory, "leave_readers", fail)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="no room"):
            run.session.run(run.step, run.feeds())
    equal(run.session.run(run.w), before)
    run.run(1)


def test_a_handler_that_interrupts_an_update_reads_and_assigns(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Training(OPTIMIZERS["momentum"], [(3,), (4,), (5,)])
    run.run()
    with run.graph.as_default():
        assign = run.w[1].assign(np.full(4, 7, np.float32))
    run.session.run(run.w[0].initializer)  # not in its part
    before, seen, update = run.session.run(run.w), [], joint_updates.JointMemory.update

    def interrupted(memory: Any, *args: Any) -> None:
        seen.append(run.session.run(run.w))
        update(memory, *args)
        seen.append(run.session.run(run.w))
        run.session.run(assign)

    with monkeypatch.context() as patch:
        patch.setattr(joint_updates.JointMemory, "update", interrupted)
        run.session.run(run.step, run.feeds())
    after = run.session.run(run.w)
    equal(seen[0], before)
    equal([seen[1][0], seen[1][2]], [after[0], after[2]])
    assert not np.array_equal(after[0], before[0]) and after[1].tolist() == [7] * 4
    assert len(seen) == 2
    run.run(1)


def test_a_variable_that_is_fed_is_not_updated() -> None:
    run = Training(OPTIMIZERS["sgd"], [(3,), (4,)])
    run.run()
    for _ in range(4):
        with pytest.raises(tf.errors.FailedPreconditionError, match="w0 is fed"):
            run.session.run(run.step, {**run.feeds(), run.w[0]._handle: np.zeros(3, np.float32)})


def test_threads_lose_no_update_and_see_no_half_of_one() -> None:
    run = Training(OPTIMIZERS["sgd"], [(50,), (60,), (7, 9)])
    run.session.run([w.initializer for w in run.w])
    feeds = {g: np.full(s, -10.0, np.float32) for g, s in zip(run.gradients, run.shapes, strict=True)}
    start = run.session.run(run.w)
    cell, torn, done = run.cell(run.w[0]), [], threading.Event()

    def train_on() -> None:
        for _ in range(60):
            run.session.run(run.step, feeds)

    def read() -> None:
        while not done.is_set():
            moved = cell.read() - start[0]
            if np.ptp(moved) > 1e-3:
                torn.append(moved)

    threads = [threading.Thread(target=train_on) for _ in range(3)]
    reader = threading.Thread(target=read)
    for thread in (*threads, reader):
        thread.start()
    for thread in threads:
        thread.join(30)
    done.set()
    reader.join(30)
    assert not torn
    for now, before in zip(run.session.run(run.w), start, strict=True):
        np.testing.assert_allclose(now, before + 180, rtol=1e-4)


def test_a_function_updates_as_one_too(joined: list[int]) -> None:
    def program() -> Any:
        w, optimizer = [tf.Variable(tf.ones([k + 2]) * k) for k in range(4)], train.AdamOptimizer(0.1)

        @tf.function
        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = tf.add_n([tf.reduce_sum(tf.square(x - 3.0)) for x in w])
            optimizer.apply_gradients(zip(tape.gradient(loss, w), w, strict=True))
            return loss

        losses = [step().numpy() for _ in range(6)]
        w[2].assign_add(tf.ones([4]))
        losses.append(step().numpy())
        return [*losses, *[x.numpy() for x in w]]

    expected = one_by_one(program)
    assert not joined
    equal(program(), expected)
    assert set(joined) == {4}


def test_a_variable_named_twice_is_updated_twice() -> None:
    def program() -> Any:
        with tf.Graph().as_default():
            w = [v1.get_variable(f"w{k}", initializer=tf.ones([2])) for k in range(2)]
            once = train.GradientDescentOptimizer(0.1).apply_gradients([(x * 1.0, x) for x in w])
            with tf.control_dependencies([once]):
                twice = train.GradientDescentOptimizer(0.1).apply_gradients([(tf.ones([2]), x) for x in w])
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                for _ in range(5):
                    session.run(twice)
                return session.run(w)

    expected = one_by_one(program)
    equal(program(), expected)
    np.testing.assert_allclose(expected[0], expected[1])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_eager_updates_are_as_one_too(name: str, joined: list[int]) -> None:
    def program() -> Any:
        w = [tf.Variable(np.linspace(-1, 2, int(np.prod(s)), dtype=np.float32).reshape(s)) for s in SHAPES]
        w.append(tf.Variable(np.ones(3)))
        optimizer, rand = OPTIMIZERS[name](), np.random.default_rng(4)
        for _ in range(4):
            drawn = [rand.standard_normal(x.shape).astype(x.dtype.as_numpy_dtype) for x in w]
            optimizer.apply_gradients([(tf.constant(g), x) for g, x in zip(drawn, w, strict=True)])
        return [x.numpy() for x in [*w, *optimizer.variables()]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(at_once, "call_jointly", lambda op, states, gradients, *_: range(len(gradients)))
        expected = program()
    assert not joined
    equal(program(), expected)
    assert set(joined) == {4}


def test_an_eager_update_that_fails_is_told(joined: list[int]) -> None:
    w = [tf.Variable(tf.ones([3])), tf.Variable(tf.ones([4]))]
    optimizer = train.MomentumOptimizer(0.1, 0.9)
    optimizer.apply_gradients([(tf.ones([3]), w[0]), (tf.ones([4]), w[1])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        optimizer.apply_gradients([(tf.ones([3]), w[0]), (tf.ones([7]), w[1])])
    optimizer.apply_gradients([(tf.ones([3]), w[0]), (tf.ones([3]), w[0])])
    assert joined == [2, 0, 0]


def test_a_subclass_that_says_what_an_update_is_is_asked(joined: list[int]) -> None:
    class Halved(train.GradientDescentOptimizer):  # type: ignore[misc, name-defined]
        def _apply_dense(self, grad: Any, var: Any) -> Any:
            return super()._apply_dense(grad * 0.5, var)

        _resource_apply_dense = _apply_dense

    w = [tf.Variable(tf.ones([2])), tf.Variable(tf.ones([3]))]
    Halved(1.0).apply_gradients([(tf.ones_like(x), x) for x in w])
    assert w[1].numpy().tolist() == [0.5] * 3 and not joined
