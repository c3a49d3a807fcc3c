"""Cells around cells: several on top of one another, dropout, residuals, devices."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.misuse import shown
from inlay._src.base.types import nest, shapes
from inlay._src.core.context import device_v1, name_scope
from inlay._src.core.eager.convert import convert_to_tensor, get_static_value
from inlay._src.core.tensor import Tensor
from inlay._src.ops import division, joining, math, nn, random
from inlay._src.ops.variables.scope import variable_scope
from inlay._src.programs.control.tensor_array import TensorArray
from inlay._src.tf1.recurrent.cell import LSTMStateTuple, RNNCell, check_cell, floating_tensor, states_of, step_result


@export("compat.v1.nn.rnn_cell.MultiRNNCell")
class MultiRNNCell(RNNCell):
    """Cells on top of one another: each sees the output of the one below.

    Args:
      cells: the cells, the lowest first.
      state_is_tuple: whether the state is a tuple of theirs, or all of them in one tensor.

    Raises:
      ValueError: if there are none, or states that are tuples should be one tensor.
      TypeError: if they are no list or tuple.
    """

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"cells must be a list or tuple, but received: {cells}.")
        self._cells, self._state_is_tuple = cells, state_is_tuple
        if not state_is_tuple and any(nest.is_nested(cell.state_size) for cell in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set. State sizes are: "
                f"{[cell.state_size for cell in cells]}"
            )

    @property
    def state_size(self) -> int | Any:
        """The sizes of their states."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int | Any:
        """That of the last one."""
        return self._cells[-1].output_size

    @property
    def trainable_variables(self) -> list[Any]:
        """Their trainable variables."""
        return [v for cell in self._cells for v in cell.trainable_variables] if self.trainable else []

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Their other variables."""
        fixed = [v for cell in self._cells for v in cell.non_trainable_variables]
        return fixed if self.trainable else [v for cell in self._cells for v in cell.trainable_variables] + fixed

    trainable_weights, non_trainable_weights = trainable_variables, non_trainable_variables

    def zero_state(self, batch_size: Any, dtype: Any) -> Tensor | Any:
        """Zeros like their states."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:  # type: ignore[override]
        """One step of each.

        Raises:
          ValueError: if the state is no tuple with one for each.
        """
        if self._state_is_tuple:
            states = states_of(state, len(self._cells))
        else:
            states = joining.split(floating_tensor(state), [cell.state_size for cell in self._cells], 1)
        new_states = []
        for i, (cell, own) in enumerate(zip(self._cells, states, strict=True)):
            with variable_scope(f"cell_{i}"):
                inputs, new = step_result(cell(inputs, own))
            new_states.append(new)
        return inputs, tuple(new_states) if self._state_is_tuple else joining.concat(new_states, 1)


class _Around(RNNCell):
    """A cell around another one, without variables of its own."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_cell("cell", cell)
        self.cell = cell

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Tensor, Any]:
        """One step; see `RNNCell`."""
        return self.wrapped(inputs, state, lambda x, s: step_result(self.cell(x, s, scope=scope)))

    def wrapped(self, inputs: Any, state: Any, step: Callable[[Any, Any], Any]) -> Any:
        """One step, which calls that of the cell inside."""
        raise NotImplementedError

    @property
    def wrapped_cell(self) -> RNNCell:
        """The cell inside."""
        return self.cell

    @property
    def state_size(self) -> int | Any:
        """That of the cell inside."""
        return self.cell.state_size

    @property
    def output_size(self) -> int | Any:
        """That of the cell inside."""
        return self.cell.output_size

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of the cell inside."""
        return list(self.cell.trainable_variables)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Those of the cell inside."""
        return list(self.cell.non_trainable_variables)

    trainable_weights, non_trainable_weights = trainable_variables, non_trainable_variables

    def zero_state(self, batch_size: Any, dtype: Any) -> Tensor | Any:
        """That of the cell inside."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            return self.cell.zero_state(batch_size, dtype)


def _memory_stays(substate: Any) -> Any:
    """The parts of a state to drop: not what LSTM cells remember, and no arrays."""
    if isinstance(substate, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(substate, TensorArray)


@export("compat.v1.nn.rnn_cell.DropoutWrapper")
class DropoutWrapper(_Around):
    """Drops elements of the inputs, outputs and states of a cell.

    Args:
      cell: the cell.
      input_keep_prob, output_keep_prob, state_keep_prob: with what probability an element stays: numbers or tensors.
      variational_recurrent: whether all steps drop the same elements (Gal and Ghahramani,
        https://arxiv.org/abs/1512.05287).
      input_size: the sizes of inputs, without the batch; needed if all steps drop the same of them.
      dtype: the type; needed if all steps drop the same.
      seed: makes the choices repeatable.
      dropout_state_filter_visitor: a function of a state or a part of it that says whether to drop: a bool, or a nest
        of them. By default what LSTM cells remember stays.

    Raises:
      ValueError: for a probability that is none, or if a size or type is missing.
      TypeError: if `cell` is no cell.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError(f"dropout_state_filter_visitor must be callable. Received: {dropout_state_filter_visitor}")
        self._dropped = dropout_state_filter_visitor or _memory_stays
        self._seed = seed
        with name_scope("DropoutWrapperInit"):
            probabilities = {"input": input_keep_prob, "state": state_keep_prob, "output": output_keep_prob}
            self._keep = {what: _probability(value, f"{what}_keep_prob") for what, value in probabilities.items()}
            self._noise: dict[str, Any] = {}
            if variational_recurrent:
                if dtype is None:
                    raise ValueError("When variational_recurrent=True, dtype must be provided")
                if self._drops("input"):
                    if input_size is None:
                        raise ValueError(
                            "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must "
                            "be provided"
                        )
                    self._noise["input"] = self._drawn("input", input_size)
                self._noise["state"] = self._drawn("state", cell.state_size)
                self._noise["output"] = self._drawn("output", cell.output_size)

    def _drops(self, what: str) -> bool:
        keep = self._keep[what]
        return not isinstance(keep, float) or keep < 1

    def _seed_of(self, what: str, index: int) -> int | None:
        """A seed of its own for each tensor."""
        if self._seed is None:
            return None
        digest = hashlib.md5(f"{self._seed}{what}_{index}".encode(), usedforsecurity=False).hexdigest()
        return int(digest[:8], 16) & 0x7FFFFFFF

    def _drawn(self, what: str, sizes: Any) -> list[Any]:
        """For each tensor the numbers that decide, the same in every step and for the whole batch."""
        listed = [sizes] if isinstance(sizes, shapes.TensorShape) else nest.flatten(sizes)
        dims = [[size] if isinstance(size, int) else shapes.as_shape(size).as_list() for size in listed]
        return [
            random.uniform([1, *size], seed=self._seed_of(what, i), dtype=self.dtype) for i, size in enumerate(dims)
        ]

    def _thinned(self, what: str, values: Any, dropped: Any = None) -> Any:
        keep, noise = self._keep[what], self._noise.get(what)
        flat = nest.flatten(values)
        if noise is not None and len(noise) != len(flat):
            raise ValueError(f"Expected {len(noise)} tensors of {what}, but received: {shown(values)}")
        chosen = [True] * len(flat) if dropped is None else dropped
        results = []
        for i, (value, drop) in enumerate(zip(flat, chosen, strict=True)):
            if not drop:
                results.append(value)
            elif noise is None:
                results.append(nn.dropout(value, 1.0 - keep, seed=self._seed_of(what, i)))
            else:
                value = floating_tensor(value)
                stays = math.cast(math.greater_equal(noise[i] + keep, 1.0), value.dtype)
                results.append(division.real_divide(value, math.cast(keep, value.dtype)) * stays)
        return nest.pack_sequence_as(values, results)

    def wrapped(self, inputs: Any, state: Any, step: Callable[[Any, Any], Any]) -> tuple[Tensor, Any]:
        """One step, with elements dropped before and after."""
        if self._drops("input"):
            inputs = self._thinned("input", inputs)
        output, new = step_result(step(inputs, state))
        if self._drops("state"):
            new = self._thinned("state", new, _flags(self._dropped, new))
        if self._drops("output"):
            output = self._thinned("output", output)
        return output, new


def _probability(value: Any, name: str) -> Any:
    tensor = convert_to_tensor(value)
    if not (tensor.dtype.is_floating or tensor.dtype.is_integer) or tensor.shape.rank not in (0, None):
        raise TypeError(f"Expected a scalar number for argument '{name}' not {value!r}.")
    static = get_static_value(tensor)
    if static is None:
        return tensor
    if not 0 <= static <= 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1. Received {float(static)}")
    return float(static)


def _flags(visitor: Callable[[Any], Any], state: Any) -> list[bool]:
    """For each tensor of a state whether it is dropped."""
    said = visitor(state)
    if isinstance(said, bool):
        if not said or not nest.is_nested(state):
            return [said] * len(nest.flatten(state))
        parts = state.values() if isinstance(state, dict) else state
        return [flag for part in parts for flag in _flags(visitor, part)]
    if not (nest.is_nested(said) and nest.is_nested(state)) or len(said) != len(state):
        raise ValueError(f"dropout_state_filter_visitor returned {shown(said)} for the state {shown(state)}")
    flags: list[bool] = []
    for flag, part in zip(said, state, strict=True):
        flags += [flag] * len(nest.flatten(part)) if flag in (True, False) else _flags(visitor, part)
    return flags


@export("compat.v1.nn.rnn_cell.ResidualWrapper")
class ResidualWrapper(_Around):
    """Adds the inputs of a cell to its outputs.

    Args:
      cell: the cell.
      residual_fn: a function of inputs and outputs in place of their sum.
    """

    def __init__(self, cell: Any, residual_fn: Any = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def wrapped(self, inputs: Any, state: Any, step: Callable[[Any, Any], Any]) -> tuple[Tensor, Any]:
        """One step, and the sum; ValueError if the shapes differ."""
        outputs, new = step_result(step(inputs, state))

        def added(one: Any, other: Any) -> Any:
            one, other = convert_to_tensor(one), convert_to_tensor(other)
            if not one.shape.is_compatible_with(other.shape):
                raise ValueError(f"Shapes {one.shape} and {other.shape} are incompatible: inputs are added to outputs")
            return one + other

        combine = self._residual_fn or (lambda x, y: nest.map_structure(added, x, y))
        return combine(inputs, outputs), new


@export("compat.v1.nn.rnn_cell.DeviceWrapper")
class DeviceWrapper(_Around):
    """Runs a cell on a device.

    Args:
      cell: the cell.
      device: the device's name.
    """

    def __init__(self, cell: Any, device: str, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Tensor | Any:
        """That of the cell, on the device."""
        with device_v1(self._device):
            return super().zero_state(batch_size, dtype)

    def wrapped(self, inputs: Any, state: Any, step: Callable[[Any, Any], Any]) -> tuple[Tensor, Any]:
        """One step, on the device."""
        with device_v1(self._device):
            return step(inputs, state)
