"""`tf.contrib.slim.nets.resnet_v2`: residual networks of the second version."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from collections.abc import Sequence as _Sequence
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.tf1.slim.residual import Block as _Block, bottleneck_v2 as bottleneck, resnet_arg_scope, resnet_v2_block
from typing import Any as _Any
__all__ = [
    "bottleneck", "resnet_arg_scope", "resnet_v2", "resnet_v2_101", "resnet_v2_152", "resnet_v2_200", "resnet_v2_50",
    "resnet_v2_block"
]
def resnet_v2(inputs: _Any, blocks: _Sequence[_Block], num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, include_root_block: builtins.bool = True, reuse: _Any = None, scope: _Any = None) -> builtins.tuple[_Any, dict[str, _Any]]:
    """A residual network of the second version.

    Args:
      inputs: images.
      blocks: the blocks.
      num_classes: the number of classes; None for features only.
      is_training: whether batches are normalized by their own statistics.
      global_pool: whether the mean over all positions is taken.
      output_stride: the ratio of the images' side to that of the last block's result; a multiple of 4.
      include_root_block: whether a convolution and a pooling stand before the blocks.
      reuse: True shares the weights of an earlier call.
      scope: the variable scope; None takes "resnet_v2", made unique.

    Returns:
      (the features or logits; results by the names of their scopes).

    Raises:
      ValueError: for an `output_stride` that cannot be."""
def resnet_v2_101(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v2_101") -> builtins.tuple[_Tensor, dict[str, _Tensor]]:
    """The residual network with 101 layers.

    Args:
      inputs, num_classes, is_training, global_pool, output_stride, reuse: as for `resnet_v1`.
      scope: the variable scope, "resnet_v2_101" by default.

    Returns:
      (the features or logits; results by the names of their scopes)."""
def resnet_v2_152(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v2_152") -> builtins.tuple[_Tensor, dict[str, _Tensor]]:
    """The residual network with 152 layers.

    Args:
      inputs, num_classes, is_training, global_pool, output_stride, reuse: as for `resnet_v1`.
      scope: the variable scope, "resnet_v2_152" by default.

    Returns:
      (the features or logits; results by the names of their scopes)."""
def resnet_v2_200(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v2_200") -> builtins.tuple[_Tensor, dict[str, _Tensor]]:
    """The residual network with 200 layers.

    Args:
      inputs, num_classes, is_training, global_pool, output_stride, reuse: as for `resnet_v1`.
      scope: the variable scope, "resnet_v2_200" by default.

    Returns:
      (the features or logits; results by the names of their scopes)."""
def resnet_v2_50(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v2_50") -> builtins.tuple[_Tensor, dict[str, _Tensor]]:
    """The residual network with 50 layers.

    Args:
      inputs, num_classes, is_training, global_pool, output_stride, reuse: as for `resnet_v1`.
      scope: the variable scope, "resnet_v2_50" by default.

    Returns:
      (the features or logits; results by the names of their scopes)."""
