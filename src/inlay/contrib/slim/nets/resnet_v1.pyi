"""`tf.contrib.slim.nets.resnet_v1`: residual networks."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.tf1.slim.residual import bottleneck_v1 as bottleneck, resnet_arg_scope, resnet_v1, resnet_v1_block
from typing import Any as _Any
__all__ = [
    "bottleneck", "resnet_arg_scope", "resnet_v1", "resnet_v1_101", "resnet_v1_152", "resnet_v1_200", "resnet_v1_50",
    "resnet_v1_block"
]
def resnet_v1_101(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v1_101") -> builtins.tuple[_Tensor, dict[str, _Tensor]]:
    """The residual network with 101 layers.

    Args:
      inputs, num_classes, is_training, global_pool, output_stride, reuse: as for `resnet_v1`.
      scope: the variable scope, "resnet_v1_101" by default.

    Returns:
      (the features or logits; results by the names of their scopes)."""
def resnet_v1_152(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v1_152") -> builtins.tuple[_Tensor, dict[str, _Tensor]]:
    """The residual network with 152 layers.

    Args:
      inputs, num_classes, is_training, global_pool, output_stride, reuse: as for `resnet_v1`.
      scope: the variable scope, "resnet_v1_152" by default.

    Returns:
      (the features or logits; results by the names of their scopes)."""
def resnet_v1_200(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v1_200") -> builtins.tuple[_Tensor, dict[str, _Tensor]]:
    """The residual network with 200 layers.

    Args:
      inputs, num_classes, is_training, global_pool, output_stride, reuse: as for `resnet_v1`.
      scope: the variable scope, "resnet_v1_200" by default.

    Returns:
      (the features or logits; results by the names of their scopes)."""
def resnet_v1_50(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v1_50") -> builtins.tuple[_Tensor, dict[str, _Tensor]]:
    """The residual network with 50 layers.

    Args:
      inputs, num_classes, is_training, global_pool, output_stride, reuse: as for `resnet_v1`.
      scope: the variable scope, "resnet_v1_50" by default.

    Returns:
      (the features or logits; results by the names of their scopes)."""
