"""`tf.contrib.slim.nets.vgg`: VGG networks."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.tf1.slim.vgg import vgg_arg_scope
from inlay.contrib.slim.nets.vgg import vgg_16 as vgg_d, vgg_19 as vgg_e
from typing import Any as _Any
__all__ = [
    "vgg_16", "vgg_19", "vgg_a", "vgg_arg_scope", "vgg_d", "vgg_e"
]
def vgg_16(inputs: _Any, num_classes: int = 1000, is_training: _Any = True, dropout_keep_prob: _Any = 0.5, spatial_squeeze: builtins.bool = True, scope: _Any = "vgg_16") -> builtins.tuple[_Any, dict[str, _Any]]:
    """The VGG network with 2-2-3-3-3 convolutions.

    Args:
      inputs: images.
      num_classes: the number of classes.
      is_training: whether elements are dropped: a bool or a scalar tensor.
      dropout_keep_prob: with what probability an element stays.
      spatial_squeeze: whether the axes of rows and columns, of size 1, are left out of the result.
      scope: the variable scope, "vgg_16" by default.

    Returns:
      (the logits; results by the names of their scopes)."""
def vgg_19(inputs: _Any, num_classes: int = 1000, is_training: _Any = True, dropout_keep_prob: _Any = 0.5, spatial_squeeze: builtins.bool = True, scope: _Any = "vgg_19") -> builtins.tuple[_Any, dict[str, _Any]]:
    """The VGG network with 2-2-4-4-4 convolutions.

    Args:
      inputs: images.
      num_classes: the number of classes.
      is_training: whether elements are dropped: a bool or a scalar tensor.
      dropout_keep_prob: with what probability an element stays.
      spatial_squeeze: whether the axes of rows and columns, of size 1, are left out of the result.
      scope: the variable scope, "vgg_19" by default.

    Returns:
      (the logits; results by the names of their scopes)."""
def vgg_a(inputs: _Any, num_classes: int = 1000, is_training: _Any = True, dropout_keep_prob: _Any = 0.5, spatial_squeeze: builtins.bool = True, scope: _Any = "vgg_a") -> builtins.tuple[_Any, dict[str, _Any]]:
    """The VGG network with 1-1-2-2-2 convolutions.

    Args:
      inputs: images.
      num_classes: the number of classes.
      is_training: whether elements are dropped: a bool or a scalar tensor.
      dropout_keep_prob: with what probability an element stays.
      spatial_squeeze: whether the axes of rows and columns, of size 1, are left out of the result.
      scope: the variable scope, "vgg_a" by default.

    Returns:
      (the logits; results by the names of their scopes)."""
