"""`tf.quantization`: numbers rounded to those that few bits can hold, as floats."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.quantized_numbers import dequantize, quantize
from inlay._src.ops.quantizing import quantize_and_dequantize, quantize_and_dequantize_v2
from typing import Any as _Any
__all__ = [
    "dequantize", "fake_quant_with_min_max_args", "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars", "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel", "fake_quant_with_min_max_vars_per_channel_gradient", "quantize",
    "quantize_and_dequantize", "quantize_and_dequantize_v2"
]
def fake_quant_with_min_max_args(inputs: _TensorLike, min: _Any = -6.0, max: _Any = 6.0, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> _Tensor:
    """The nearest of `2 ** num_bits` steps from `min` to `max`, which are moved so that zero is a step."""
def fake_quant_with_min_max_args_gradient(gradients: _TensorLike, inputs: _TensorLike, min: _Any = -6.0, max: _Any = 6.0, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> _Tensor:
    """The gradient of `fake_quant_with_min_max_args`: that of the result inside of the range, else 0."""
def fake_quant_with_min_max_vars(inputs: _TensorLike, min: _TensorLike, max: _TensorLike, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> _Tensor:
    """The nearest of `2 ** num_bits` steps from `min` to `max`, scalars, which are moved so that zero is a step."""
def fake_quant_with_min_max_vars_gradient(gradients: _TensorLike, inputs: _TensorLike, min: _TensorLike, max: _TensorLike, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> list[_Tensor]:
    """The gradients of `fake_quant_with_min_max_vars`: of the inputs inside of the range, of its ends beyond them."""
def fake_quant_with_min_max_vars_per_channel(inputs: _TensorLike, min: _TensorLike, max: _TensorLike, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> _Tensor:
    """As `fake_quant_with_min_max_vars`, with a range for each place in the last axis: `min` and `max` are vectors."""
def fake_quant_with_min_max_vars_per_channel_gradient(gradients: _TensorLike, inputs: _TensorLike, min: _TensorLike, max: _TensorLike, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> list[_Tensor]:
    """As `fake_quant_with_min_max_vars_gradient`, with ends for each place in the last axis."""
