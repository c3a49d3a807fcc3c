"""Arguments of layers that may be names or tensors: activations, initializers, the training phase."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.core.eager.convert import get_static_value
from inlay._src.core.tensor import Tensor
from inlay._src.ops import activations, array, powers, trigonometry
from inlay._src.ops.variables import initializers
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.control.branches import cond

_ACTIVATIONS: dict[str, Callable[..., Any] | None] = {
    "elu": activations.elu,
    "exponential": powers.exp,
    "gelu": activations.gelu,
    "linear": None,
    "relu": activations.relu,
    "relu6": activations.relu6,
    "selu": activations.selu,
    "sigmoid": powers.sigmoid,
    "softmax": activations.softmax,
    "softplus": powers.softplus,
    "softsign": activations.softsign,
    "swish": activations.swish,
    "tanh": trigonometry.tanh,
}
_INITIALIZERS: dict[str, Callable[[], Any]] = {
    "glorot_normal": initializers.GlorotNormal,
    "glorot_uniform": initializers.GlorotUniform,
    "he_normal": initializers.HeNormal,
    "he_uniform": initializers.HeUniform,
    "identity": initializers.Identity,
    "lecun_normal": initializers.LecunNormal,
    "lecun_uniform": initializers.LecunUniform,
    "ones": initializers.Ones,
    "orthogonal": initializers.Orthogonal,
    "random_normal": initializers.RandomNormal,
    "random_uniform": initializers.RandomUniform,
    "truncated_normal": initializers.TruncatedNormal,
    "variance_scaling": initializers.VarianceScaling,
    "zeros": initializers.Zeros,
}


def activation_of(identifier: Any) -> Callable[..., Any] | None:
    """An activation: a function, None, or one that is given by its name.

    Raises:
      ValueError: for a name that stands for none.
      TypeError: for what can be no function.
    """
    if identifier is None or callable(identifier):
        return identifier  # type: ignore[no-any-return]
    if not isinstance(identifier, str):
        raise TypeError(f"Could not interpret activation function identifier: {identifier!r}")
    if identifier not in _ACTIVATIONS:
        raise ValueError(f"Unknown activation function: {identifier!r}; known are {', '.join(_ACTIVATIONS)}")
    return _ACTIVATIONS[identifier]


def initializer_of(identifier: Any) -> Any:
    """An initializer as `get_variable` takes it, or one that is given by its name.

    Raises:
      ValueError: for a name that stands for none.
    """
    if not isinstance(identifier, str):
        return identifier
    if identifier not in _INITIALIZERS:
        raise ValueError(f"Unknown initializer: {identifier!r}; known are {', '.join(_INITIALIZERS)}")
    return _INITIALIZERS[identifier]()


def regularizer_of(regularizer: Any) -> Any:
    """A regularizer: a function or None.

    Raises:
      TypeError: for anything else.
    """
    if regularizer is None or callable(regularizer):
        return regularizer
    raise TypeError(f"A regularizer is a function of the variable, such as l2_regularizer(0.1); got {regularizer!r}")


@export("contrib.framework.smart_constant_value")
def smart_constant_value(pred: Any) -> bool | None:
    """The value of a condition if it is static, else None.

    Args:
      pred: a bool, 0 or 1, or a scalar bool tensor.

    Returns:
      True or False, or None if only a run can tell.

    Raises:
      TypeError: for anything else.
    """
    if isinstance(pred, (bool, np.bool_)) or (isinstance(pred, int) and pred in (0, 1)):
        return bool(pred)
    if isinstance(pred, Variable):
        return None
    if not isinstance(pred, Tensor):
        raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {type(pred)}")
    value = get_static_value(pred)
    return None if value is None else bool(value)


@export("contrib.framework.smart_cond")
def smart_cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None) -> Any:
    """`tf.cond`, or only one of the branches where the condition is known while the graph is built.

    Args:
      pred: a bool, 0 or 1, or a scalar bool tensor.
      true_fn, false_fn: functions without arguments.
      name: the node's name.

    Returns:
      The result of the branch.

    Raises:
      TypeError: if a branch is no function, or `pred` no condition.
    """
    for label, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"`{label}` must be callable.")
    static = smart_constant_value(pred)
    if static is not None:
        return true_fn() if static else false_fn()
    return cond(array.identity(pred) if isinstance(pred, Variable) else pred, true_fn, false_fn, name)
