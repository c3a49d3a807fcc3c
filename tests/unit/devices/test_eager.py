"""Eager tensors on an accelerator: where ops run, what moves, gradients."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import xla
from inlay._src.core import device
from tests.unit.devices.standing_in import Crossings

ON_GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
ON_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def some(*shape: int) -> Any:
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def test_a_scope_puts_constants_and_results_on_the_device(gpu: Crossings) -> None:
    with tf.device("/GPU:0"):
        x = tf.constant(some(3, 3))
        y = tf.matmul(x, x) + 1.0
    assert x.device == y.device == ON_GPU
    np.testing.assert_allclose(y.numpy(), some(3, 3) @ some(3, 3) + 1, rtol=1e-5)
    assert tf.constant(1.0).device == ON_CPU


def test_ops_follow_their_inputs_and_nothing_crosses(gpu: Crossings) -> None:
    x = tf.constant(some(4, 5)).gpu()
    two = tf.constant(2.0).gpu()
    with gpu.none():
        y = tf.nn.relu(tf.sin(x) * two) - x
        parts = tf.split(tf.concat([y, x], 0), 2, 0)
        z = tf.reduce_sum(tf.transpose(parts[0])[1:3], axis=1)
        shape, rank = tf.shape(z), tf.rank(y)
    assert z.device == ON_GPU and shape.device == rank.device == ON_CPU
    want = np.maximum(np.sin(some(4, 5)) * 2, 0) - some(4, 5)
    np.testing.assert_allclose(z.numpy(), want.T[1:3].sum(1), rtol=1e-5)
    assert gpu.back == 1


def test_a_host_value_beside_a_device_value_goes_there(gpu: Crossings) -> None:
    x = tf.constant([1.0, 2.0]).gpu()
    assert (x + tf.constant([1.0, 1.0])).device == (2.0 * x).device == ON_GPU
    with tf.device("/CPU:0"):
        assert (x + 1.0).device == ON_CPU  # the scope says more than the input


@pytest.mark.parametrize("dtype", ["float64", "int64", "uint8", "bool", "complex64", "float16", "bfloat16", "int32"])
def test_types_keep_their_width(gpu: Crossings, dtype: str) -> None:
    with tf.device("/GPU:0"):
        x = tf.cast(tf.constant([0.0, 1.0, 1.0]), dtype)
        y = tf.reverse(x, [0])
    assert x.device == y.device == ON_GPU
    assert y.dtype is tf.as_dtype(dtype) and y.numpy().dtype == tf.as_dtype(dtype).as_numpy_dtype
    assert y.numpy().tolist() == [1, 1, 0]


def test_there_and_back(gpu: Crossings) -> None:
    x = tf.constant(some(8))
    there = x.gpu()
    assert there.device == ON_GPU and there.gpu() is not None and there.cpu().device == ON_CPU
    np.testing.assert_array_equal(there.cpu().numpy(), x.numpy())
    with tf.device("/GPU:0"):
        assert tf.identity(x).device == ON_GPU
    with gpu.none():
        assert tf.identity(there).device == ON_GPU


def test_a_device_tensor_is_a_tensor_like_any(gpu: Crossings) -> None:
    x = tf.constant(some(2, 3)).gpu()
    with gpu.none():
        assert x.shape == (2, 3) and x.ndim == 2 and x.dtype is tf.float32 and tf.is_tensor(x)
    assert len(x) == 2 and [row.shape for row in x] == [(3,), (3,)]
    assert repr(x) == repr(tf.constant(some(2, 3))) and str(x) == str(tf.constant(some(2, 3)))
    assert np.asarray(x).tolist() == some(2, 3).tolist()
    assert float(x[0, 0]) == -1 and bool(tf.reduce_all(x < 2.0)) and int(tf.constant(7).gpu()) == 7
    assert copy.deepcopy(x) is x and pickle.loads(pickle.dumps(x)).numpy().tolist() == some(2, 3).tolist()
    own = x.numpy()
    own[:] = 0
    assert x.numpy().tolist() == some(2, 3).tolist()


def test_the_callers_memory_is_not_shared(gpu: Crossings) -> None:
    for size in (4, 16, 1 << 16):
        array = np.ones(size, np.float32)
        with tf.device("/GPU:0"):
            x = tf.constant(array)
        array[:] = 5
        assert x.numpy().tolist() == [1] * size


def test_gradients_stay_on_the_device(gpu: Crossings) -> None:
    def loss(x: Any, w: Any) -> Any:
        return tf.reduce_mean(tf.nn.relu(tf.matmul(x, w)) * tf.exp(x / 3.0) + x[0])

    def gradients(x: Any, w: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = loss(x, w)
        return tape.gradient(y, [x, w])

    here = [tf.constant(some(4, 4)), tf.constant(some(4, 4) + 0.5)]
    there = [t.gpu() for t in here]
    gradients(*there)
    before = gpu.back
    found = gradients(*there)
    assert gpu.back == before
    for got, want in zip(found, gradients(*here), strict=True):
        assert got.device == ON_GPU
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5, atol=1e-6)


def test_a_tape_hears_moves(gpu: Crossings) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = (x.gpu() ** 3.0).cpu()
        dy = inner.gradient(y, x)
    assert dy.numpy() == 27 and outer.gradient(dy, x).numpy() == 18


def test_what_cannot_run_there_runs_on_the_host_and_its_numbers_go_there(gpu: Crossings) -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]]).gpu()
    picked = tf.gather(x, [1, 0])  # its kernel refuses indices
    assert picked.device == ON_GPU and picked.numpy().tolist() == [[3, 4], [1, 2]]
    assert tf.boolean_mask(x, x > 1.5).numpy().tolist() == [2, 3, 4]  # its shape depends on values
    assert tf.strings.as_string(tf.constant([1, 2]).gpu()).numpy().tolist() == [b"1", b"2"]
    with tf.device("/GPU:0"):
        assert tf.strings.join([tf.constant("a"), tf.constant("b")]).numpy() == b"ab"
        assert tf.random.normal([3]).device == ON_GPU
        v = tf.Variable([1.0, 2.0])
        assert (v * 2.0).device == ON_GPU and v.assign_add([1.0, 1.0]).numpy().tolist() == [2, 3]


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda x: x + tf.ones([3, 3]), r"Incompatible shapes: \[2,2\] vs. \[3,3\].*AddV2"),
        (lambda x: x[5], "slice index out of bounds: index 5"),
        (lambda x: tf.gather(x, [7]), "GatherV2"),
        (lambda x: tf.cast(x, tf.int32) // tf.constant([0]).gpu(), "FloorDiv"),
        (lambda x: tf.matmul(x, tf.ones([3, 1])), "MatMul"),
    ],
)
def test_refusals_are_those_of_the_host(gpu: Crossings, run: Any, message: str) -> None:
    here, there = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0, 2.0], [3.0, 4.0]]).gpu()
    with pytest.raises(tf.errors.InvalidArgumentError, match=message) as on_device:
        run(there)
    with pytest.raises(tf.errors.InvalidArgumentError) as on_host:
        run(here)
    assert type(on_device.value) is type(on_host.value)
    assert (there + there).numpy().tolist() == [[2, 4], [6, 8]]  # a refusal does not send the op away for good
    with gpu.none():
        assert (there + there).device == ON_GPU


def test_a_variable_read_in_a_scope_goes_once_until_it_is_assigned(gpu: Crossings) -> None:
    v = tf.Variable(some(3, 3))
    with tf.device("/GPU:0"):
        x = tf.constant(some(3, 3))
        for turn in range(3):
            tf.matmul(x, v)
            before = gpu.there
            for _ in range(4):
                with tf.GradientTape() as tape:
                    y = tf.matmul(x, v)
                dv = tape.gradient(y, v)
            assert gpu.there == before and y.device == dv.device == ON_GPU
            np.testing.assert_allclose(y.numpy(), some(3, 3) @ (some(3, 3) + turn), rtol=1e-5, atol=1e-5)
            v.assign_add(tf.ones([3, 3]))
    np.testing.assert_allclose(dv.numpy(), np.repeat(some(3, 3).sum(0)[:, None], 3, 1), rtol=1e-5, atol=1e-5)


def test_custom_gradients_on_the_device(gpu: Crossings) -> None:
    @tf.custom_gradient
    def twice(x: Any) -> Any:
        return x * 2.0, lambda dy: dy * 5.0

    x = tf.constant(3.0).gpu()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = twice(x)
    dx = tape.gradient(y, x)
    assert y.device == dx.device == ON_GPU and dx.numpy() == 5


def test_devices_are_listed_and_can_be_hidden(gpu: Crossings) -> None:
    config = tf.config
    assert [d.name for d in config.list_physical_devices("GPU")] == ["/physical_device:GPU:0"]
    assert [d.name for d in config.list_logical_devices()] == ["/device:CPU:0", "/device:GPU:0"]
    assert tf.test.is_gpu_available() and tf.test.gpu_device_name() == "/device:GPU:0"
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        names = [f"/job:localhost/replica:0/task:0/device:{kind}:0" for kind in ("CPU", "GPU")]
        assert [d.name for d in session.list_devices()] == names
    config.set_visible_devices([], "GPU")
    try:
        assert config.list_logical_devices("GPU") == [] and not tf.test.is_gpu_available()
        assert [d.name for d in config.list_physical_devices("GPU")] == ["/physical_device:GPU:0"]
        assert [d.device_type for d in config.get_visible_devices()] == ["CPU"]
        config.set_soft_device_placement(False)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"), tf.device("/GPU:0"):
            tf.constant(1.0)
    finally:
        config.set_soft_device_placement(True)
        config.set_visible_devices(config.list_physical_devices())
    assert tf.test.is_gpu_available()
    with pytest.raises(ValueError, match="CPU"):
        config.set_visible_devices([], "CPU")
    with pytest.raises(ValueError, match="no such device"):
        config.set_visible_devices([config.PhysicalDevice("/physical_device:GPU:7", "GPU")], "GPU")


def test_a_device_that_is_not_there_is_refused_without_soft_placement(
    gpu: Crossings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device._Accelerators, "soft", False)
    with (
        tf.device("/GPU:3"),
        pytest.raises(tf.errors.InvalidArgumentError, match="GPU:3.*available devices are .*GPU:0"),
    ):
        tf.constant(1.0) + 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="GPU:3"):
        tf.constant(1.0).gpu(3)


def test_an_index_is_compiled_once_for_all_its_numbers(gpu: Crossings, monkeypatch: pytest.MonkeyPatch) -> None:
    x = tf.constant(some(40, 3)).gpu()
    compiled: list[Any] = []
    make = xla.compiled
    monkeypatch.setattr(xla, "compiled", lambda function: compiled.append(function) or make(function))
    rows = [row.numpy() for row in x] + [x[-k, 1].numpy() for k in range(1, 40)]
    assert len(compiled) <= 2
    np.testing.assert_array_equal(np.stack(rows[:40]), some(40, 3))
    np.testing.assert_array_equal(rows[40:], some(40, 3)[:0:-1, 1])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        parts = [x[k, :2] for k in (0, 5, -1)]
    for k, part in zip((0, 5, -1), parts, strict=True):
        want = np.zeros((40, 3), np.float32)
        want[k, :2] = 1
        np.testing.assert_array_equal(tape.gradient(part, x).numpy(), want)
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index out of bounds"):
        x[40]


def test_a_gradient_met_again_stays_on_the_device(gpu: Crossings) -> None:
    """Structures that come back are pulled by NumPy kernels in a line, but not those of a device."""

    def gradient(x: Any, place: str) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.device(place):
                y = tf.reduce_sum(tf.sin(tf.identity(x)) * x)
        return tape.gradient(y, x)

    x = tf.constant(some(5))
    want = np.sin(some(5)) + some(5) * np.cos(some(5))
    for place in ("/GPU:0", "/CPU:0", "/GPU:0"):
        for _ in range(5):
            before = gpu.back
            dx = gradient(x, place)
            assert gpu.back == before and (dx.device == ON_GPU) == (place == "/GPU:0")
            np.testing.assert_allclose(dx.numpy(), want, rtol=1e-5)
