"""`tf.compat.v1`: the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.api import *
from inlay.core.context import executing_eagerly_outside_functions
from inlay.ops.array import where as where_v2
from inlay.ops.asserting import (
    assert_equal_v1 as assert_equal, assert_greater_v1 as assert_greater, assert_greater_equal_v1 as
    assert_greater_equal, assert_less_v1 as assert_less, assert_less_equal_v1 as assert_less_equal, assert_negative_v1
    as assert_negative, assert_non_negative_v1 as assert_non_negative, assert_non_positive_v1 as assert_non_positive,
    assert_none_equal_v1 as assert_none_equal, assert_positive_v1 as assert_positive, is_numeric_tensor
)
from inlay.ops.legacy import (
    batch_gather, boolean_mask, expand_dims, gather, gather_nd, guarantee_const, verify_tensor_all_finite, where
)
from inlay.ops.legacy_math import arg_max, arg_min, argmax, argmin, confusion_matrix, count_nonzero
from inlay.ops.rearranging import depth_to_space, invert_permutation, reverse as reverse_v2, space_to_depth
from inlay.ops.scatter import (
    tensor_scatter_nd_add as tensor_scatter_add, tensor_scatter_nd_sub as tensor_scatter_sub, tensor_scatter_nd_update
    as tensor_scatter_update
)
from inlay.ops.seeds import get_seed
from inlay.ops.sequences import linspace as lin_space
from inlay.ops.strings import strip as string_strip
from inlay.variables.initializers import (
    RandomNormalV1 as random_normal_initializer, RandomUniformV1 as random_uniform_initializer
)
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "autograph": "inlay.autograph",
    "bitwise": "inlay.bitwise",
    "compat": "inlay.compat",
    "config": "inlay.config",
    "contrib": "inlay.contrib",
    "debugging": "inlay.compat.v1.debugging",
    "dtypes": "inlay.dtypes",
    "errors": "inlay.errors",
    "experimental": "inlay.experimental",
    "image": "inlay.compat.v1.image",
    "initializers": "inlay.compat.v1.initializers",
    "io": "inlay.io",
    "linalg": "inlay.linalg",
    "logging": "inlay.logging",
    "math": "inlay.math",
    "nest": "inlay.nest",
    "nn": "inlay.compat.v1.nn",
    "ragged": "inlay.ragged",
    "random": "inlay.random",
    "signal": "inlay.signal",
    "sparse": "inlay.sparse",
    "strings": "inlay.strings",
    "test": "inlay.test",
    "train": "inlay.compat.v1.train",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay.compat.v1' has no attribute {name!r}")
    return globals().setdefault(name, _importlib.import_module(_BELOW[name]))


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
