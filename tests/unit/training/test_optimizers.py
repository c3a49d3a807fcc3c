"""Optimizers: their rules against NumPy, in graphs, eagerly and in functions; subclasses; global step; schedules."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.core import context

train = tf.compat.v1.train
START, TARGET = np.float64([1.0, -2.0]), np.float64([0.5, 3.0])


def gradient_descent(w, state):
    return w - 0.1 * (w - TARGET)


def momentum(w, state, nesterov=False):
    g = w - TARGET
    a = state["a"] = 0.9 * state.get("a", 0.0) + g
    return w - (0.1 * g + 0.09 * a if nesterov else 0.1 * a)


def adagrad(w, state):
    g = w - TARGET
    a = state["a"] = state.get("a", 0.1) + g * g
    return w - 0.1 * g / np.sqrt(a)


def adam(w, state):
    g = w - TARGET
    t = state["t"] = state.get("t", 0) + 1
    m = state["m"] = 0.9 * state.get("m", 0.0) + 0.1 * g
    v = state["v"] = 0.999 * state.get("v", 0.0) + 0.001 * g * g
    return w - 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)


def rms_prop(w, state, centered=False):
    g = w - TARGET
    s = state["s"] = 0.9 * state.get("s", 1.0) + 0.1 * g * g
    c = state["c"] = 0.9 * state.get("c", 0.0) + 0.1 * g if centered else 0.0
    p = state["p"] = 0.5 * state.get("p", 0.0) + 0.1 * g / np.sqrt(s - c * c + 1e-10)
    return w - p


RULES = {
    "sgd": (lambda: train.GradientDescentOptimizer(0.1), gradient_descent, []),
    "momentum": (lambda: train.MomentumOptimizer(0.1, 0.9), momentum, ["w/Momentum"]),
    "nesterov": (
        lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        lambda w, s: momentum(w, s, True),
        ["w/Momentum"],
    ),
    "adagrad": (lambda: train.AdagradOptimizer(0.1), adagrad, ["w/Adagrad"]),
    "adam": (lambda: train.AdamOptimizer(0.1), adam, ["beta1_power", "beta2_power", "w/Adam", "w/Adam_1"]),
    "rms": (lambda: train.RMSPropOptimizer(0.1, 0.9, 0.5), rms_prop, ["w/RMSProp", "w/RMSProp_1"]),
    "centered": (
        lambda: train.RMSPropOptimizer(0.1, 0.9, 0.5, centered=True),
        lambda w, s: rms_prop(w, s, True),
        ["w/RMSProp", "w/RMSProp_1", "w/RMSProp_2"],
    ),
}


def loss_of(w):
    return 0.5 * tf.reduce_sum(tf.square(w - TARGET))


def expected(rule, steps):
    w, state = START, {}
    for _ in range(steps):
        w = rule(w, state)
    return w


@pytest.mark.parametrize("name", RULES)
def test_rules_in_a_graph(name):
    make, rule, slots = RULES[name]
    with tf.Graph().as_default():
        w = tf.get_variable("w", initializer=START)
        optimizer = make()
        step = train.get_or_create_global_step()
        op = optimizer.minimize(loss_of(w), global_step=step)
        assert sorted(v.name.removesuffix(":0") for v in optimizer.variables()) == slots
        assert tf.trainable_variables() == [w]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(6):
                session.run(op)
            np.testing.assert_allclose(session.run(w), expected(rule, 6), rtol=1e-5)
            assert session.run(step) == train.global_step(session, step) == 6


@pytest.mark.parametrize("name", RULES)
def test_rules_eagerly(name):
    make, rule, _ = RULES[name]
    w, optimizer = tf.Variable(START), make()
    for _ in range(6):
        optimizer.minimize(lambda: loss_of(w))
    np.testing.assert_allclose(w, expected(rule, 6), rtol=1e-5)


@pytest.mark.parametrize("name", RULES)
def test_rules_in_a_function(name):
    make, rule, _ = RULES[name]
    w, optimizer = tf.Variable(START), make()

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = loss_of(w)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w], strict=True))
        return loss

    losses = [float(step()) for _ in range(6)]
    np.testing.assert_allclose(w, expected(rule, 6), rtol=1e-5)
    assert losses[0] == 12.625 and losses[-1] < losses[0]


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32])
@pytest.mark.parametrize("name", RULES)
def test_narrow_types_stay_narrow(name, dtype):
    make, rule, _ = RULES[name]
    w, optimizer = tf.Variable(tf.cast(START, dtype)), make()
    optimizer.minimize(lambda: 0.5 * tf.reduce_sum(tf.square(w - tf.cast(TARGET, dtype))))
    assert w.numpy().dtype == dtype.as_numpy_dtype
    np.testing.assert_allclose(w.numpy().astype(np.float64), expected(rule, 1), rtol=0.03)


def test_gradients_can_be_changed_between():
    with tf.Graph().as_default():
        v, w = tf.Variable([3.0, 4.0], name="v"), tf.Variable(1.0, name="w")
        optimizer = train.GradientDescentOptimizer(1.0)
        pairs = optimizer.compute_gradients(tf.reduce_sum(v * v))
        assert [(g is None, x.name) for g, x in pairs] == [(False, "v:0"), (True, "w:0")]
        op = optimizer.apply_gradients([(g if g is None else g * 0.5, x) for g, x in pairs])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(op)
            assert session.run([v, w])[0].tolist() == [0, 0] and session.run(w) == 1.0


def test_a_learning_rate_may_be_a_placeholder_or_a_function():
    with tf.Graph().as_default():
        w, rate = tf.Variable(1.0), tf.placeholder(tf.float32, [])
        op = train.GradientDescentOptimizer(rate).minimize(w * 1.0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(op, {rate: 0.25})
            assert session.run(w) == 0.75
    rates = iter([0.5, 0.25])
    w, optimizer = tf.Variable(1.0), train.GradientDescentOptimizer(lambda: next(rates))
    for _ in range(2):
        optimizer.minimize(lambda: w * 1.0)
    assert w.numpy() == 0.25


def test_a_subclass_that_averages_gradients():
    """As in programs that train on several workers: both methods overridden, a host function that reuses a buffer."""
    buffer = np.zeros(2, np.float32)

    def average(flat):
        buffer[:] = flat / 2
        return buffer

    class Averaged(train.GradientDescentOptimizer):
        def compute_gradients(self, *args, **kwargs):
            pairs = super().compute_gradients(*args, **kwargs)
            flat = tf.concat([tf.reshape(g, [-1]) for g, _ in pairs], 0)
            mean = tf.py_func(average, [flat], tf.float32)
            mean.set_shape(flat.shape)
            return [(tf.reshape(mean[i : i + 1], v.shape), v) for i, (_, v) in enumerate(pairs)]

    with tf.Graph().as_default():
        v, w = tf.Variable(1.0), tf.Variable([2.0])
        op = Averaged(1.0).minimize(v * 4.0 + tf.reduce_sum(w) * 6.0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(op)
            buffer[:] = 99
            assert session.run(v) == -1.0 and session.run(w).tolist() == [-1]


def test_a_subclass_that_defines_an_update():
    class Signed(train.Optimizer):
        def __init__(self):
            super().__init__(False, "Signed")

        def _create_slots(self, var_list):
            for v in var_list:
                self._zeros_slot(v, "count", self._name)

        def _apply_dense(self, grad, var):
            with tf.control_dependencies([self.get_slot(var, "count").assign_add(tf.ones_like(grad)).op]):
                return var.assign_sub(tf.sign(grad), read_value=False)

    with tf.Graph().as_default():
        v, optimizer = tf.Variable([5.0, -5.0]), Signed()
        op = optimizer.minimize(tf.reduce_sum(v * v))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(op)
            assert session.run(v).tolist() == [4, -4]
            assert session.run(optimizer.get_slot(v, "count")).tolist() == [1, 1]
        assert (optimizer.get_slot_names(), optimizer.get_slot(v, "none")) == (["count"], None)


def test_of_two_methods_for_an_update_the_nearest_class_is_asked():
    seen = []

    class Old(train.AdamOptimizer):
        def _apply_dense(self, grad, var):
            seen.append("dense")
            return super()._apply_dense(grad, var)

        def _apply_sparse(self, grad, var):
            seen.append(type(grad).__name__)
            return super()._apply_sparse(grad, var)

    class New(Old):
        def _resource_apply_dense(self, grad, handle):
            seen.append("handle")
            return super()._resource_apply_dense(grad, handle)

    table = tf.Variable([[1.0], [2.0]])
    for optimizer in (Old(0.1), New(0.1)):
        optimizer.minimize(lambda: tf.reduce_sum(table * table))
        optimizer.minimize(lambda: tf.reduce_sum(tf.gather(table, [1, 1])))
    assert seen == ["dense", "IndexedSlices", "handle", "IndexedSlices"]


def test_hyperparameters_have_their_names_and_may_be_changed():
    x, optimizer = tf.Variable(1.0), train.MomentumOptimizer(0.5, 0.0)
    assert (optimizer._learning_rate, optimizer._momentum) == (0.5, 0.0)
    optimizer._learning_rate = 0.25
    optimizer.minimize(lambda: 2.0 * x)
    assert x.numpy() == 0.5 and optimizer._learning_rate_tensor.numpy() == 0.25
    adam = train.AdamOptimizer(0.1)
    adam.minimize(lambda: 2.0 * x)
    assert [round(float(v.numpy()), 4) for v in adam._get_beta_accumulators()] == [0.81, 0.998]
    assert adam._lr == 0.1 and adam._get_non_slot_variable("nothing") is None


def test_constraints_hold_after_an_update():
    with tf.Graph().as_default():
        w = tf.Variable(1.0, constraint=lambda x: tf.maximum(x, 0.5))
        op = train.GradientDescentOptimizer(1.0).minimize(w * 3.0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(op)
            assert session.run(w) == 0.5


EVERY = {
    **{name: make for name, (make, *_) in RULES.items()},
    "adadelta": lambda: train.AdadeltaOptimizer(0.1),
    "ftrl": lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "proximal": lambda: train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.01),
    "proximal adagrad": lambda: train.ProximalAdagradOptimizer(0.1, 0.1, 0.01, 0.01),
}


@pytest.mark.parametrize("name", EVERY)
def test_a_large_variable_is_updated_as_a_small_one_and_its_readers_keep_what_they_read(name):
    repeats = TUNING.blocked_elements // 8 + 3
    tile = np.linspace(-1, 1, 8, dtype=np.float32)
    small, large = tf.Variable(tile), tf.Variable(np.tile(tile, repeats))
    optimizers = EVERY[name](), EVERY[name]()
    for _ in range(2):
        before = large.value()
        wanted = before.numpy()
        for optimizer, v, grad in zip(optimizers, (small, large), (tile, np.tile(tile, repeats)), strict=True):
            optimizer.apply_gradients([(tf.constant(grad[::-1] + 0.5), v)])
        assert np.array_equal(before.numpy(), wanted) and not np.array_equal(large.numpy(), wanted)
        assert np.array_equal(large.numpy(), np.tile(small.numpy(), repeats))


def test_an_update_works_in_the_memory_of_a_large_variable_that_nobody_else_has():
    large, grad = tf.Variable(tf.zeros([TUNING.blocked_elements])), tf.ones([TUNING.blocked_elements])
    optimizer = train.AdamOptimizer()
    optimizer.apply_gradients([(grad, large)])  # the first value may be a constant's
    first = id(large.handle._value.value)
    optimizer.apply_gradients([(grad, large)])
    assert id(large.handle._value.value) == first
    rows = tf.IndexedSlices(tf.ones([1]), tf.constant([3]), tf.constant([TUNING.blocked_elements]))
    train.AdagradOptimizer(0.1).apply_gradients([(rows, large)])
    assert id(large.handle._value.value) == first


def test_threads_that_read_while_others_update_see_whole_updates_and_none_is_lost():
    large, grad = tf.Variable(tf.zeros([TUNING.blocked_elements])), tf.ones([TUNING.blocked_elements])
    torn = []

    def update():
        optimizer = train.GradientDescentOptimizer(0.5)
        for _ in range(20):
            optimizer.apply_gradients([(grad, large)])
            large.assign_sub(grad)

    def read():
        for _ in range(60):
            seen = large.value().numpy()
            if seen.min() != seen.max():
                torn.append((seen.min(), seen.max()))

    threads = [threading.Thread(target=work) for work in (update, update, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not torn and not any(thread.is_alive() for thread in threads)
    assert set(large.numpy()) == {-60.0}


def test_a_gradient_of_another_shape_is_refused_and_nothing_changes():
    v = tf.Variable(np.zeros((2, 3), np.float32))
    for name, make in EVERY.items():
        with pytest.raises(tf.errors.InvalidArgumentError):
            make().apply_gradients([(tf.ones([4, 2, 3]), v)])
        assert not v.numpy().any(), name


def test_rows_of_a_gradient_are_enough():
    w = tf.Variable([1.0, 2.0, 3.0])
    rows = tf.IndexedSlices(tf.constant([1.0, 1.0]), tf.constant([2, 2]), tf.constant([3]))
    train.GradientDescentOptimizer(0.5).apply_gradients([(rows, w)])
    assert w.numpy().tolist() == [1, 2, 2]


def test_the_loss_trains_what_it_reaches_and_not_behind_numpy_functions():
    with tf.Graph().as_default():
        v, w = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="w")
        hidden = tf.numpy_function(lambda x: x * 2, [v], tf.float32)
        grads = dict((x.name, g) for g, x in train.GradientDescentOptimizer(1.0).compute_gradients(hidden * w))
        assert grads["v:0"] is None and grads["w:0"] is not None


def test_senseless_calls_are_refused():
    optimizer = train.GradientDescentOptimizer(1.0)
    with pytest.raises(RuntimeError, match="should be a function when eager"):
        optimizer.minimize(tf.constant(1.0))
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="No gradients provided for any variable: \\['w:0'\\]"):
        optimizer.apply_gradients([(None, tf.Variable(1.0, name="w"))])
    with pytest.raises(TypeError, match="must be a tf.Variable"):
        optimizer.apply_gradients([(1.0, 1.0)])
    with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
        optimizer.apply_gradients([(1.0, tf.constant(1.0))])
    with pytest.raises(ValueError, match="gradient of w:0 has dtype float64, the variable float32"):
        optimizer.apply_gradients([(tf.constant(1.0, tf.float64), tf.Variable(1.0, name="w"))])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"variable 'w:0' of shape \(\): .* \(3,\)"):
        optimizer.apply_gradients([(tf.ones([3]), tf.Variable(1.0, name="w"))])
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="No variables to optimize"):
            optimizer.minimize(tf.constant(1.0))
        v = tf.Variable(1.0)
        with pytest.raises(ValueError, match="No gradients provided for any variable.*Variable:0"):
            optimizer.minimize(tf.constant(1.0))
        with pytest.raises(TypeError, match="not a tf.Variable"):
            optimizer.compute_gradients(v * 1.0, ["v"])
        doubled = v * 2.0
        ((slope, source),) = optimizer.compute_gradients(doubled * doubled, [doubled])
        assert source is doubled and slope.shape == ()
    with pytest.raises(ValueError, match="optimizer name"):
        train.Optimizer(False, "")


class TestGlobalStep:
    @pytest.fixture(autouse=True)
    def graph(self):
        with tf.Graph().as_default() as made:
            yield made

    def test_there_is_one_per_graph(self, graph):
        assert train.get_global_step() is None
        with tf.variable_scope("a"):
            step = train.create_global_step()
        assert (step.name, step.dtype, step.trainable) == ("global_step:0", tf.int64, False)
        assert train.get_or_create_global_step() is train.get_global_step(graph) is step
        assert tf.global_variables() == [step]
        with pytest.raises(ValueError, match="already exists"):
            train.create_global_step()

    def test_of_another_graph(self):
        other = tf.Graph()
        assert train.get_or_create_global_step(other).graph is other

    def test_it_must_be_an_integer_scalar(self):
        with pytest.raises(TypeError, match="integer"):
            train.assert_global_step(tf.Variable(1.0))
        with pytest.raises(TypeError, match="scalar"):
            train.assert_global_step(tf.Variable([1]))

    def test_eagerly_too(self):
        with context.using(context.State()):
            step = train.get_or_create_global_step()
            assert train.get_global_step() is step
            step.assign_add(3)
            assert train.global_step(None, step) == step.numpy()
            tf.get_default_graph().clear_collection("global_step")


SCHEDULES = {
    "exponential_decay": (lambda s: train.exponential_decay(0.5, s, 10, 0.9), lambda s: 0.5 * 0.9 ** (s / 10)),
    "staircase": (lambda s: train.exponential_decay(0.5, s, 10, 0.9, True), lambda s: 0.5 * 0.9 ** (s // 10)),
    "natural_exp": (lambda s: train.natural_exp_decay(0.5, s, 10, 0.9), lambda s: 0.5 * np.exp(-0.9 * s / 10)),
    "inverse_time": (lambda s: train.inverse_time_decay(0.5, s, 10, 0.9), lambda s: 0.5 / (1 + 0.9 * s / 10)),
    "polynomial": (
        lambda s: train.polynomial_decay(0.5, s, 20, 0.1, 2.0),
        lambda s: 0.4 * (1 - min(s, 20) / 20) ** 2 + 0.1,
    ),
    "cycle": (
        lambda s: train.polynomial_decay(0.5, s, 20, 0.1, cycle=True),
        lambda s: 0.4 * (1 - s / (20 * max(1, np.ceil(s / 20)))) + 0.1,
    ),
    "piecewise": (
        lambda s: train.piecewise_constant(s, [5, 15], [1.0, 0.5, 0.1]),
        lambda s: 1.0 if s <= 5 else 0.5 if s <= 15 else 0.1,
    ),
    "cosine": (
        lambda s: train.cosine_decay(0.5, s, 20, 0.1),
        lambda s: 0.5 * (0.9 * (1 + np.cos(np.pi * min(s, 20) / 20)) / 2 + 0.1),
    ),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(name):
    build, rule = SCHEDULES[name]
    with tf.Graph().as_default():
        step = tf.placeholder(tf.int64, [])
        rate = build(step)
        with tf.Session() as session:
            got = [session.run(rate, {step: s}) for s in range(0, 50, 5)]
    np.testing.assert_allclose(got, [rule(s) for s in range(0, 50, 5)], rtol=1e-5)
    eager = tf.Variable(7, dtype=tf.int64)
    rate = build(eager)
    assert callable(rate)
    np.testing.assert_allclose(rate(), rule(7), rtol=1e-5)
    eager.assign(12)
    np.testing.assert_allclose(rate(), rule(12), rtol=1e-5)


def test_schedules_need_a_step_and_fitting_lengths():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="global_step is required"):
            train.exponential_decay(0.5, None, 10, 0.9)
        with pytest.raises(ValueError, match="1 less than"):
            train.piecewise_constant(1, [1, 2], [1.0, 2.0])


def test_a_step_of_a_variable_that_is_fed_is_refused_and_keeps_its_slots():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        w = tf.compat.v1.get_variable("w", initializer=np.ones(3, np.float32))
        optimizer = train.MomentumOptimizer(0.5, 0.5)
        step = optimizer.apply_gradients([(tf.ones([3]), w)])
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(step)
        with pytest.raises(tf.errors.FailedPreconditionError, match="variable w is fed in this run"):
            session.run(step, {w: np.zeros(3, np.float32)})
        assert session.run([w, optimizer.get_slot(w, "momentum")])[1].tolist() == [1.0] * 3
        assert session.run(w).tolist() == [0.5] * 3


def test_slots_belong_to_the_variables_that_a_function_is_given() -> None:
    """Both are called "Variable"; as in TensorFlow 2.21 each has slots of its own, found from outside too."""
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)

    @tf.function
    def step(x: Any, y: Any, z: Any) -> None:
        grad = tf.reshape(z, [2])
        optimizer.apply_gradients([(grad, x), (grad * 2.0, y)])

    step(a, b, tf.ones([2]))
    assert [optimizer.get_slot(v, "momentum").numpy().tolist() for v in (a, b)] == [[1.0, 1.0], [2.0, 2.0]]
    step(a, b, tf.ones([2, 1]))  # another trace
    np.testing.assert_allclose(optimizer.get_slot(b, "momentum"), 2 * 0.9 + 2)
    np.testing.assert_allclose(b, [3.0 - 0.2 - 0.38, 4.0 - 0.2 - 0.38], rtol=1e-6)

    average = tf.train.ExponentialMovingAverage(0.5)

    @tf.function
    def averaged(x: Any, y: Any) -> Any:
        average.apply([x, y])
        return average.average(x), average.average(y)

    a.assign([4.0, 4.0])
    averaged(a, b)
    a.assign([0.0, 0.0])
    np.testing.assert_allclose(averaged(a, b)[0], 2.0)
    np.testing.assert_allclose(average.average(a), 2.0)


@pytest.mark.parametrize("shape", [[], [1], [1, 2], [3]])
@pytest.mark.parametrize("name", ["GradientDescentOptimizer", "AdamOptimizer"])
def test_a_gradient_of_another_shape_is_refused(name: str, shape: list[int]) -> None:
    """Also one that could be broadcast, as TensorFlow does: a loss with a dimension too many has such gradients."""
    variable = tf.Variable([1.0, 2.0])
    optimizer = getattr(tf.compat.v1.train, name)(0.1)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"does not fit variable 'Variable:0' of shape \(2,\)"):
        optimizer.apply_gradients([(tf.ones(shape), variable)])
    assert variable.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="what must be one number does not fit"):
        type(optimizer)([0.1, 0.2]).apply_gradients([(tf.ones([2]), variable)])


def test_ada_max_steps_as_tensorflows_op() -> None:
    gradients = ([0.1, -0.3, 2.0], [0.4, 0.2, -1.0], [0.0, 0.5, 0.25])
    dense, rows = tf.Variable([1.0, -2.0, 0.5]), tf.Variable([[1.0], [-2.0], [0.5]])
    optimizer = tf.contrib.opt.AdaMaxOptimizer(0.1)
    for gradient in gradients:
        sliced = tf.IndexedSlices(tf.reshape(tf.constant(gradient), [3, 1]), [0, 1, 2])
        optimizer.apply_gradients([(tf.constant(gradient), dense), (sliced, rows)])
    stepped = [
        0.7948029041290283,
        -1.9199578762054443,
        0.36099377274513245,
    ]  # by ResourceApplyAdaMax of TensorFlow 2.21
    np.testing.assert_allclose(dense.numpy(), stepped, rtol=1e-6)
    np.testing.assert_allclose(rows.numpy().ravel(), stepped, rtol=1e-6)
    assert optimizer.get_name() == "AdaMax"
