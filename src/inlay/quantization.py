"""`tf.quantization`: numbers rounded to those that few bits can hold, as floats."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "quantization",
    {
        "ops.quantized_numbers": "dequantize quantize",
        "ops.quantizing":
        "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars "
        "fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel "
        "fake_quant_with_min_max_vars_per_channel_gradient quantize_and_dequantize quantize_and_dequantize_v2",
    },
    absent={
        "experimental": "quantize with the tools of the runtime that serves the model",
        "quantized_concat": "dequantize, tf.concat, quantize",
    },
)
