"""The tests of DLPack on a GPU, and PyTorch's own arrays there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.unit.devices.standing_in import Crossings
from tests.unit.devices.test_dlpack import *  # noqa: F403

del test_a_foreign_device_array_is_copied_on_the_device  # noqa: F821, with a stand-in; PyTorch's is below

pytestmark = pytest.mark.gpu


def test_torch_computes_on_the_gpu_between_our_ops(gpu: Crossings) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no GPU")

    def body(x: Any) -> Any:
        taken = torch.from_dlpack(x)
        assert taken.is_cuda
        return torch.sin(taken)

    with tf.device("/GPU:0"):
        x = tf.constant(np.linspace(-1, 1, 1000, dtype=np.float32))
        tf.py_function(body, [x], tf.float32)
        with gpu.none():
            y = tf.py_function(body, [x], tf.float32)
    assert y.device.endswith("GPU:0")
    np.testing.assert_allclose(y.numpy(), np.sin(x.numpy()), rtol=1e-5, atol=1e-6)
