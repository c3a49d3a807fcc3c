"""Averages that follow values: `ExponentialMovingAverage` keeps those of variables beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import FLOATS
from inlay._src.core.context import init_scope, name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import default_graph
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, control, division, math, powers
from inlay._src.ops.variables.collections import (
    GraphKeys,
    global_variables,
    moving_average_variables,
    trainable_variables,
)
from inlay._src.ops.variables.initializers import Zeros
from inlay._src.ops.variables.scope import get_variable, get_variable_scope, variable_scope
from inlay._src.ops.variables.spec import traced_with
from inlay._src.ops.variables.variable import Variable


def _key(value: Any) -> Any:
    """The key of the average of a variable or tensor.

    Raises:
      TypeError: for anything else.
    """
    return _averaged(traced_with(value)).ref()


def _averaged(value: Any) -> Any:
    """A variable or tensor, which has an average; TypeError for anything else."""
    if callable(getattr(value, "ref", None)):
        return value
    raise TypeError(f"Expected a variable or a tensor, not {value!r}")


def _label(value: Any) -> str:
    """The name of a variable or of the operation that makes a tensor."""
    return value.name.removesuffix(":0") if isinstance(value, Variable) else value.op.name


@export("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Averages of variables in which the past counts `decay` times as much with every update.

    `apply` makes them and updates them: `average = decay * average + (1 - decay) * value`.

    Args:
      decay: the weight of the past: a number, tensor or variable.
      num_updates: the number of updates; if given, `decay` is at most `(1 + num_updates) / (10 + num_updates)`.
      zero_debias: whether averages of tensors, which begin at 0, are divided by the weight of the values so far.
      name: the suffix of the names of averages.

    Attributes:
      name: the name.
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._averages: dict[Any, Variable] = {}  # reference of what is averaged -> its average
        self._biased: dict[Any, tuple[Variable, Variable]] = {}  # the same -> (sum, number of updates), if debiased

    @property
    def name(self) -> str:
        """The name in those of the averages."""
        return self._name

    def apply(self, var_list: Sequence[Any] | None = None) -> Operation | None:
        """Updates the averages of variables and tensors, and makes those that are not there yet.

        Args:
          var_list: variables and tensors of floats; None means all trainable variables. The average of a variable
            begins at its first value, that of a tensor at 0.

        Returns:
          The operation that updates.

        Raises:
          TypeError: for types other than floats.
        """
        chosen = list(trainable_variables() if var_list is None else var_list)
        for value in chosen:
            if _averaged(value).dtype not in FLOATS:
                raise TypeError(f"The variables must be half, float, or double: {value.name}")
            if _key(value) not in self._averages:
                self._begin(traced_with(value))
        with name_scope(self._name) as scope:
            decay = convert_to_tensor(self._decay, dtypes.float32, name="decay")
            if self._num_updates is not None:
                count = math.cast(self._num_updates, dtypes.float32)
                decay = math.minimum(decay, (1.0 + count) / (10.0 + count))
            return control.group(*[self._update(v, decay) for v in chosen], name=scope or None)

    def _begin(self, value: Any) -> None:
        label = f"{_label(value)}/{self._name}"
        with init_scope(), name_scope(""):  # averages are called after what they are of alone
            if isinstance(value, Variable):
                first = value.initialized_value()
                default_graph().add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, value)
            else:
                first = array.zeros(value.shape, value.dtype)
            average = Variable(first, trainable=False, name=label)
            if self._zero_debias and not isinstance(value, Variable):
                with variable_scope(_label(average)):
                    self._biased[value.ref()] = (
                        get_variable("biased", initializer=array.zeros_like(first), trainable=False),
                        get_variable("local_step", initializer=array.zeros((), value.dtype), trainable=False),
                    )
        self._averages[value.ref()] = average

    def _update(self, value: Any, decay: Any) -> Any:
        average, now = self._averages[_key(value)], convert_to_tensor(value)
        left = math.cast(1.0 - decay, average.dtype)
        if value.ref() not in self._biased:
            return average.assign_sub((average.read_value() - now) * left)
        biased, count = self._biased[value.ref()]
        total = biased.assign_sub((biased.read_value() - now) * left)
        whole = 1.0 - powers.pow(1.0 - left, count.assign_add(1.0))
        return average.assign(total / whole)

    def average(self, var: Any) -> Variable | None:
        """The average of a variable or tensor; None if there is none."""
        return self._averages.get(_key(var))

    def average_name(self, var: Any) -> str:
        """The name that the average has, or would have."""
        average = self._averages.get(_key(var))
        if average is not None:
            return _label(average)
        return default_graph().unique_name(f"{_label(var)}/{self._name}", mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Sequence[Any] | None = None) -> dict[str, Any]:
        """The names and variables by which a `Saver` restores averages into variables.

        Args:
          moving_avg_variables: variables that have averages; None means the trainable ones and those of the
            collection `moving_average_variables`.

        Returns:
          The name in the checkpoint -> variable, for all global variables.
        """
        if moving_avg_variables is None:
            moving_avg_variables = [*trainable_variables(), *moving_average_variables()]
        by_name = {self.average_name(v): v for v in moving_avg_variables}
        averaged = {_label(v) for v in moving_avg_variables}
        for variable in [*global_variables(), *moving_average_variables()]:
            if _label(variable) not in averaged:
                by_name.setdefault(_label(variable), variable)
        return by_name


@export("train.assign_moving_average")
def assign_moving_average(
    variable: Variable, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Tensor | Variable:
    """Moves a variable towards a value: `variable = decay * variable + (1 - decay) * value`.

    Args:
      variable: a variable of floats that keeps the average.
      value: a tensor of its shape.
      decay: the weight of the past, in [0, 1].
      zero_debias: whether the average, which began at 0, is divided by the weight of the values so far: then variables
        `biased` and `local_step` below the variable's name keep the sum and how many there were.
      name: the operation's name.

    Returns:
      The variable's new value; in a graph a tensor whose operation updates it.
    """
    with name_scope(name, "AssignMovingAvg") as scope:
        left = math.cast(convert_to_tensor(1.0 - decay, name="decay"), variable.dtype)
        value = math.cast(value, variable.dtype)
        if not zero_debias:
            return variable.assign_sub((variable.read_value() - value) * left, name=scope or None)
        with variable_scope(_label(variable)):
            biased = get_variable(
                _unused("biased"), variable.shape, variable.dtype, initializer=Zeros(), trainable=False
            )
            count = get_variable(_unused("local_step"), [], variable.dtype, initializer=Zeros(), trainable=False)
        total = biased.assign_sub((biased.read_value() - value) * left)
        whole = 1.0 - powers.pow(1.0 - left, count.assign_add(1.0))
        return variable.assign(total / whole, name=scope or None)


def _unused(name: str) -> str:
    """`name`, or `name_1` and so on, if the variable scope has such a variable and does not share it."""
    scope = get_variable_scope()
    taken = set() if scope.reuse else {_label(v) for v in scope.global_variables()}
    unused, k = name, 0
    while f"{scope.name}/{unused}" in taken:
        k += 1
        unused = f"{name}_{k}"
    return unused


@export("train.weighted_moving_average")
def weighted_moving_average(
    value: Any, decay: Any, weight: Any, truediv: bool = True, collections: Any = None, name: str | None = None
) -> Tensor:
    """The average of a value over calls, in which each counts by its weight and the past `decay` times as much.

    Args:
      value: a tensor of floats.
      decay: the weight of the past, in [0, 1].
      weight: a tensor that broadcasts against `value`.
      truediv: accepted; the quotient is never rounded.
      collections: graph collections that the two variables join instead of `GraphKeys.GLOBAL_VARIABLES`.
      name: the variable scope of the two variables; None takes "WeightedMovingAvg".

    Returns:
      The average so far: the sum of weighted values over that of weights.
    """
    value, weight = convert_to_tensor(value), convert_to_tensor(weight)
    with variable_scope(name, "WeightedMovingAvg") as scope:
        keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
        sums = [
            get_variable(called, like.shape, like.dtype, initializer=Zeros(), trainable=False, collections=keys)
            for called, like in (("value_x_weight", value), ("weight", weight))
        ]
        parts = [
            assign_moving_average(total, now, decay, zero_debias=False)
            for total, now in zip(sums, (value * weight, weight), strict=True)
        ]
        return division.divide(parts[0], parts[1], name=f"{scope.name}/")
