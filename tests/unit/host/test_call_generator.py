"""`rng=`: every call of a host function gets a NumPy generator that depends on a seed and the call's number."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.saved.container import Container

Dataset = tf.data.Dataset


@pytest.fixture(autouse=True)
def numbered_from_zero() -> None:
    tf.random.set_seed(None)


def drawn(x: Any, rng: np.random.Generator) -> Any:
    return np.float64(rng.normal())


def first(count: int, *seed: int) -> list[float]:
    """What the first calls with a seed draw."""
    return [float(np.random.default_rng((*seed, i)).normal()) for i in range(count)]


def call(x: Any = 0.0, **how: Any) -> Any:
    return tf.numpy_function(drawn, [x], tf.float64, **{"rng": 7, **how})


def numbers(dataset: Any) -> list[float]:
    return [float(v) for v in dataset.as_numpy_iterator()]


# ---------------------------------------------------------------- which number a call has


def test_eager_calls_of_a_seed_count_until_the_seed_is_set() -> None:
    assert [float(call()) for _ in range(3)] == first(3, 7)
    assert float(call(rng=8)) == first(1, 8)[0]
    tf.random.set_seed(1)
    assert float(call()) == first(1, 7)[0]


def test_each_session_counts_its_runs() -> None:
    with tf.Graph().as_default():
        calls = [call(), call()]
        for _ in range(2):
            with tf.compat.v1.Session() as session:
                assert [session.run(calls) for _ in range(2)] == [[v, v] for v in first(2, 7)]


def test_a_traced_function_counts_its_calls_and_turns() -> None:
    @tf.function
    def traced(x: Any) -> Any:
        return tf.map_fn(lambda v: call(v), x)

    turns = [traced(tf.zeros([2], tf.float64)).numpy().tolist() for _ in range(2)]
    assert turns == [first(4, 7)[:2], first(4, 7)[2:]]


@pytest.mark.parametrize("how", [{}, {"num_parallel_calls": 3}, {"num_parallel_calls": 2, "executor": "threads"}])
def test_elements_of_a_dataset_are_numbered(how: dict[str, Any]) -> None:
    dataset = Dataset.range(5).map(lambda x: call(x), **how)
    assert numbers(dataset) == numbers(dataset) == first(5, 7)
    assert numbers(Dataset.range(9).filter(lambda x: x % 2 == 0).map(lambda x: call(x), **how)) == first(5, 7)
    assert numbers(dataset.map(lambda x: x + call(x), **how)) == [2 * v for v in first(5, 7)]


def test_a_call_in_a_loop_draws_anew_in_every_turn_of_every_element() -> None:
    @tf.function
    def looped(x: Any) -> Any:
        return tf.map_fn(lambda v: call(v), tf.zeros([3], tf.float64))

    def rows(**how: Any) -> list[tuple[float, ...]]:
        return [tuple(row) for row in Dataset.range(4).map(looped, **how).as_numpy_iterator()]

    assert len({v for row in rows() for v in row}) == 12
    assert rows() == rows(num_parallel_calls=3)


def test_a_seed_may_be_a_tensor_such_as_the_number_of_the_epoch() -> None:
    def epoch(number: Any) -> Any:
        return Dataset.range(3).map(lambda x: call(x, rng=tf.stack([7, number])))

    epochs = Dataset.range(2).map(lambda e: tf.cast(e, tf.int32)).flat_map(epoch)
    assert numbers(epochs) == first(3, 7, 0) + first(3, 7, 1)


def test_an_iterator_that_is_restored_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    iterator = iter(Dataset.range(5).map(lambda x: call(x)))
    assert [float(next(iterator)) for _ in range(2)] == first(2, 7)
    path = tf.train.Checkpoint(i=iterator).save(str(tmp_path / "c"))
    assert [float(v) for v in iterator] == first(5, 7)[2:]
    tf.train.Checkpoint(i=iterator).restore(path)
    assert [float(v) for v in iterator] == first(5, 7)[2:]


def test_the_call_of_a_lost_worker_draws_the_same_when_it_is_run_again(tmp_path: Path) -> None:
    path = str(tmp_path / "died")

    def dying(x: Any, rng: np.random.Generator) -> Any:
        import os

        if x == 14 and not os.path.exists(path):
            rng.normal()
            open(path, "w").close()
            os._exit(3)
        return np.float64(rng.normal())

    def outside(x: Any) -> Any:
        return tf.numpy_function(dying, [x], tf.float64, stateful=False, rng=7)

    with tf.Processes(workers=2) as pool:
        assert numbers(Dataset.range(30).map(outside, num_parallel_calls=4, executor=pool)) == first(30, 7)
    assert (tmp_path / "died").exists()


# ---------------------------------------------------------------- seeds and functions


@pytest.mark.parametrize(
    ("seed", "same"),
    [
        (np.int32(5), (5,)),
        ([3, 4], (3, 4)),
        (np.array([3, 4]), (3, 4)),
        (2**70 + 9, (2**70 + 9,)),
        (np.random.SeedSequence(5), tuple(np.random.SeedSequence(5).generate_state(4).tolist())),
    ],
)
def test_what_a_seed_may_be(seed: Any, same: tuple[int, ...]) -> None:
    assert float(call(rng=seed)) == first(1, *same)[0]


@pytest.mark.parametrize(
    ("seed", "kind", "message"),
    [
        (-1, ValueError, "not negative"),
        ([], ValueError, "not negative"),
        (True, TypeError, "takes an integer"),
        (0.5, TypeError, "takes an integer"),
        (np.random.default_rng(0), TypeError, r"rng=int\(generator.integers"),
        ([tf.constant(1)], TypeError, "takes an integer"),
    ],
)
def test_other_seeds_are_refused(seed: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call(rng=seed)


def test_a_tensor_that_is_no_seed_is_refused_when_it_has_its_value() -> None:
    @tf.function
    def traced(seed: Any) -> Any:
        return call(rng=seed)

    with pytest.raises(tf.errors.InvalidArgumentError, match="must not be negative"):
        traced(tf.constant([1, -1]))
    with pytest.raises(TypeError, match="takes integers"):
        traced(tf.constant(0.5))


@pytest.mark.parametrize(
    ("function", "more", "message"),
    [
        (lambda x: x, {}, "has no parameter of that name"),
        (lambda x, /, *rng: x, {}, "has no parameter of that name"),
        (lambda rng: 0.0, {}, "multiple values for argument 'rng'"),
        (lambda x, rng: x, {"kwargs": {"rng": 1}}, "leave one out"),
    ],
)
def test_a_function_that_cannot_take_the_generator_is_refused(function: Any, more: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        tf.numpy_function(function, [0.0], tf.float32, rng=1, **more)


def test_a_decorated_function_is_called_without_the_generator() -> None:
    @tf.numpy_function(Tout=tf.float64, rng=7)
    def scaled(x: Any, rng: np.random.Generator, scale: float = 1.0) -> Any:
        return rng.normal() * scale

    assert [float(scaled(0.0)), float(scaled(0.0, scale=2.0))] == [first(2, 7)[0], 2 * first(2, 7)[1]]
    assert float(scaled(x=0.0, scale=1.0)) == first(3, 7)[2]


def test_an_asynchronous_function_gets_one_too() -> None:
    async def later(x: Any, rng: np.random.Generator) -> Any:
        return np.float64(rng.normal())

    assert float(tf.numpy_function(later, [0.0], tf.float64, rng=7)) == first(1, 7)[0]


# ---------------------------------------------------------------- gradients, shapes, what is saved


def test_a_gradient_is_that_of_the_numbers_that_were_drawn() -> None:
    @tf.py_function(Tout=tf.float64, rng=7)
    def noisy(x: Any, rng: np.random.Generator) -> Any:
        return x * float(rng.normal())

    x = tf.constant(2.0, tf.float64)
    for wanted in first(2, 7):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = noisy(x)
        assert (float(y), float(tape.gradient(y, x))) == (2 * wanted, wanted)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fed = tf.compat.v1.placeholder(tf.float64, [])
        both = [noisy(fed), tf.gradients(noisy(fed), fed)[0]]
        assert [session.run(both, {fed: 1.0}) for _ in range(2)] == [[v, v] for v in first(2, 7)]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_shape_rules_and_gradients_of_the_user_take_no_generator(wrap: Any) -> None:
    def stepped(x: Any, rng: np.random.Generator) -> Any:
        return x + rng.normal()

    @wrap
    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.numpy_function(
                stepped, [x], tf.float64, rng=7, grad=lambda x, y, dy: 5 * dy, output_shapes=lambda shape: shape
            )
        return y, tape.gradient(y, x)

    y, dx = run(tf.zeros([2], tf.float64))
    assert (y.numpy().tolist(), dx.numpy().tolist()) == ([first(1, 7)[0]] * 2, [5.0, 5.0])


def test_a_call_that_learns_shapes_is_not_counted() -> None:
    learned = {"output_shapes": "infer", "sample": [0.0]}
    assert [float(call(**learned)) for _ in range(2)] == first(2, 7)


def test_a_saved_model_begins_again(tmp_path: Path) -> None:
    class Model(tf.Module):  # type: ignore[misc]
        @tf.function(input_signature=[tf.TensorSpec([], tf.float64)])  # type: ignore[untyped-decorator]
        def draw(self, x: Any) -> Any:
            return call(x)

    model = Model()
    model.draw(tf.zeros([], tf.float64))
    path = str(tmp_path / "model")
    tf.saved_model.save(model, path)
    loaded = tf.saved_model.load(path, trust=Container(path).digest)
    assert [float(loaded.draw(tf.zeros([], tf.float64))) for _ in range(3)] == first(3, 7)


def test_a_graph_that_is_read_draws_the_same() -> None:
    with tf.Graph().as_default():
        call()
        tf.compat.v1.data.make_one_shot_iterator(Dataset.range(3).map(lambda x: call(x))).get_next(name="next")
        message = tf.compat.v1.train.export_meta_graph()
    with tf.Graph().as_default(), pytest.raises(tf.errors.PermissionDeniedError) as refused:
        tf.compat.v1.train.import_meta_graph(message)
    trust = re.findall("sha256:[0-9a-f]{64}", str(refused.value))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.train.import_meta_graph(message, trust=trust)
        for name in ("PyFunc:0", "next:0"):
            assert [float(session.run(name)) for _ in range(3)] == first(3, 7)
