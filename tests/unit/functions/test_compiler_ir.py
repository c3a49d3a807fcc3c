"""What the compiler makes of traced functions."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

pytest.importorskip("jax")


@tf.function(jit_compile=True)
def double(x: Any) -> Any:
    return 2.0 * x


def test_a_function_is_given_at_every_stage_of_the_compiler() -> None:
    ir = double.experimental_get_compiler_ir(tf.constant([1.0, 2.0]))
    assert "f32[2]" in ir() and "multiply" in ir(stage="hlo")
    assert "stablehlo.multiply" in ir(stage="stablehlo")
    assert "is_scheduled=true" in ir(stage="optimized_hlo", device_name="/device:CPU:0")
    module = ir(stage="optimized_hlo_serialized")
    assert isinstance(ir(stage="hlo_serialized"), bytes) and isinstance(module, bytes)
    wrapped = ir(stage="optimized_hlo_proto_serialized")
    assert isinstance(wrapped, bytes) and (wrapped[:1], wrapped[3:].partition(b"jit_function")[0]) == (b"\n", b"\n\x0c")


def test_a_variable_is_a_parameter() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    f = tf.function(lambda x: v * x, jit_compile=True)
    assert "(f32[], f32[3]{0})->f32[3]{0}" in f.experimental_get_compiler_ir(tf.constant(1.0))()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stage": "assembly"}, "Invalid stage selected: 'assembly'"),
        ({"device_name": "/device:GPU:7"}, "No matching device found"),
        ({"stage": "optimized_hlo", "platform_name": "TPU"}, "requested stage is not supported on this device"),
    ],
)
def test_another_stage_or_place_is_refused(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        double.experimental_get_compiler_ir(tf.constant(1.0))(**options)


def test_what_does_not_compile_is_refused() -> None:
    with pytest.raises(ValueError, match="marked with 'jit_compile=True'"):
        tf.function(lambda x: x).experimental_get_compiler_ir(1.0)
    with pytest.raises(ValueError, match="static input shape"):
        double.experimental_get_compiler_ir(tf.TensorSpec([None], tf.float32))
    f = tf.function(lambda x: tf.strings.as_string(x), jit_compile=True)
    with pytest.raises(ValueError, match=r"\(AsString\), .* does not compile"):
        f.experimental_get_compiler_ir(tf.constant(1.0))()
