"""`tf.contrib.slim.nets.resnet_v2`: residual networks of the second version."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.tf1.slim.residual import bottleneck_v2 as bottleneck, resnet_arg_scope, resnet_v2_block
from typing import Any as _Any
__all__ = [
    "bottleneck", "resnet_arg_scope", "resnet_v2", "resnet_v2_101", "resnet_v2_152", "resnet_v2_200", "resnet_v2_50",
    "resnet_v2_block"
]
def resnet_v2(inputs: _Any, blocks: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, include_root_block: builtins.bool = True, reuse: _Any = None, scope: _Any = None) -> tuple[_Any, dict[str, _Any]]: ...
def resnet_v2_101(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v2_101") -> _Any: ...
def resnet_v2_152(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v2_152") -> _Any: ...
def resnet_v2_200(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v2_200") -> _Any: ...
def resnet_v2_50(inputs: _Any, num_classes: int | None = None, is_training: _Any = True, global_pool: builtins.bool = True, output_stride: int | None = None, reuse: _Any = None, scope: _Any = "resnet_v2_50") -> _Any: ...
