"""DLPack: arrays of other libraries in, tensors out, on the host and on an accelerator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import xla
from inlay._src.core import device
from tests.unit.devices.standing_in import Crossings

dlpack = tf.experimental.dlpack
v1 = tf.compat.v1
ON_GPU = "/job:localhost/replica:0/task:0/device:GPU:0"


class Foreign:
    """An array of a library that speaks DLPack and nothing else."""

    def __init__(self, array: Any, where: tuple[int, int] | None = None) -> None:
        self.array, self.where = array, where

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.where or self.array.__dlpack_device__()


def there(array: Any) -> Any:
    """An array of JAX's on the GPU, as a user's own code makes one."""
    import jax

    return jax.device_put(array, device.accelerators()["/device:GPU:0"])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8, np.complex64, np.bool_, np.float16])
def test_host_arrays_come_in_without_a_copy(dtype: Any) -> None:
    array = np.array([[0, 1], [1, 0]], dtype)
    for source in (array, Foreign(array)):
        tensor = dlpack.from_dlpack(source)
        assert tensor.dtype == tf.as_dtype(dtype) and np.shares_memory(tensor._value, array)
    assert dlpack.from_dlpack(tensor) is tensor


def test_capsules_of_both_kinds_and_back() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.shares_memory(dlpack.from_dlpack(array.__dlpack__())._value, array)
    knows_read_only = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # which capsules of DLPack 1 say
    if knows_read_only:
        assert np.shares_memory(dlpack.from_dlpack(array.__dlpack__(max_version=(1, 0)))._value, array)
    tensor = tf.constant(array)
    assert dlpack.from_dlpack(dlpack.to_dlpack(tensor)).numpy().tolist() == array.tolist()
    taken = np.from_dlpack(tensor)
    assert not np.shares_memory(taken, tensor._value) and taken.tolist() == array.tolist()
    assert dlpack.from_dlpack(dlpack.to_dlpack(tf.constant(3.0))).numpy() == 3


def test_what_is_no_array_is_refused() -> None:
    used = np.zeros(2).__dlpack__()
    dlpack.from_dlpack(used)
    for wrong in (3, "x", used):
        with pytest.raises(tf.errors.InvalidArgumentError, match="from_dlpack"):
            dlpack.from_dlpack(wrong)
    for wrong in (tf.constant("x"), np.zeros(2), 3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="to_dlpack"):
            dlpack.to_dlpack(wrong)


def test_an_array_on_a_device_that_is_not_visible_is_refused() -> None:
    device.use({})
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="no such accelerator is visible"):
            dlpack.from_dlpack(Foreign(np.zeros(2), (2, 0)))
        with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)no such accelerator is visible.*called by op"):
            tf.py_function(lambda: Foreign(np.zeros(2), (2, 0)), [], tf.float64)
    finally:
        device.use(None)


def test_device_arrays_come_in_and_go_out_on_the_device(gpu: Crossings) -> None:
    import jax

    array = there(np.arange(4, dtype=np.float32))
    with gpu.none():
        tensor = dlpack.from_dlpack(array)
        assert tensor.device == ON_GPU and (tensor + tensor).device == ON_GPU
        out, shared = jax.dlpack.from_dlpack(tensor), dlpack.to_dlpack(tensor)
        assert tensor.__dlpack_device__() == array.__dlpack_device__()
    assert out.unsafe_buffer_pointer() != array.unsafe_buffer_pointer()
    assert np.asarray(out).tolist() == [0, 1, 2, 3]
    assert dlpack.from_dlpack(shared)._value.ctypes.data == array.unsafe_buffer_pointer()
    with pytest.raises(BufferError, match="lends nobody its memory"):
        tensor.__dlpack__(copy=False)


@pytest.mark.parametrize("scope", ["/CPU:0", "/GPU:0"])
def test_results_of_host_functions_that_lie_on_the_device_stay_there(gpu: Crossings, scope: str) -> None:
    def body(x: Any) -> Any:
        import jax

        return jax.numpy.tanh(jax.dlpack.from_dlpack(x)) if scope == "/GPU:0" else there(np.tanh(x.numpy()))

    want = np.tanh(np.float32([1, 2]))
    with tf.device("/GPU:0"):
        x = tf.constant([1.0, 2.0])
    with tf.device(scope):
        y = tf.py_function(body, [x], tf.float32)
        before = gpu.back
        y = tf.py_function(body, [x], tf.float32)
        assert gpu.back - before == (scope == "/CPU:0")
    np.testing.assert_allclose(y.numpy(), want, rtol=1e-6)
    with tf.Graph().as_default(), tf.device(scope):
        fed = v1.placeholder(tf.float32, [2])
        y = tf.py_function(body, [fed], tf.float32)
        with v1.Session() as session:
            np.testing.assert_allclose(session.run(y + 1.0, {fed: [1.0, 2.0]}), want + 1, rtol=1e-6)


def test_a_device_result_of_another_type_is_converted_where_no_value_changes(gpu: Crossings) -> None:
    whole = tf.py_function(lambda: there(np.int32([1, 2])), [], tf.float32)
    assert whole.dtype is tf.float32 and whole.numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="without changing its value"):
        tf.py_function(lambda: there(np.float32([1.5])), [], tf.int32)


def test_a_host_result_that_only_speaks_dlpack_is_taken_and_owned() -> None:
    kept = np.float32([1, 2])
    y = tf.py_function(lambda: Foreign(kept), [], tf.float32)
    kept[:] = 9
    assert y.numpy().tolist() == [1, 2]


def test_a_foreign_device_array_is_copied_on_the_device(gpu: Crossings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner may write into it later; nothing crosses to the host."""
    import jax

    array = there(np.float32([1, 2]))
    asked = []

    def read(source: Any, copy: bool) -> Any:  # JAX takes no CPU device for a GPU
        asked.append(copy)
        return jax.numpy.array(source.array, copy=copy)

    monkeypatch.setattr(xla, "from_dlpack", read)
    with gpu.none():
        tensor = tf.py_function(lambda: Foreign(array, (2, 0)), [], tf.float32)
        shared = dlpack.from_dlpack(Foreign(array, (2, 0)))
    assert tensor.device == shared.device == ON_GPU and asked == [True, False]
    assert tensor.numpy().tolist() == [1, 2]


def test_torch_takes_and_gives_tensors() -> None:
    torch = pytest.importorskip("torch")
    tensor = tf.constant([1.0, 2.0])
    taken = torch.from_dlpack(tensor)
    assert taken.tolist() == [1, 2]
    made = torch.arange(3, dtype=torch.float32)
    came = dlpack.from_dlpack(made)
    assert came._value.__array_interface__["data"][0] == made.data_ptr()
    y = tf.py_function(lambda x: torch.sin(torch.from_dlpack(x)), [tensor], tf.float32)
    np.testing.assert_allclose(y.numpy(), np.sin([1, 2]), rtol=1e-6)
