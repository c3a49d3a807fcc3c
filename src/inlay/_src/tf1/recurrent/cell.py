"""`RNNCell`: a layer that is called with an input and a state, step by step."""

from __future__ import annotations

from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.misuse import shown
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops import array, stacking
from inlay._src.ops.variables.scope import get_variable_scope, variable_scope
from inlay._src.tf1.layers.layer import InputSpec, Layer, dims_of


def zeros(batch_size: Any, size: Any, dtype: Any) -> Any:
    """Zeros of a shape whose first size is that of the batch.

    Args:
      batch_size: a number or a scalar tensor.
      size: the rest of the shape: a number, a shape, or a list of numbers.
      dtype: the type.
    """
    rest = [size] if isinstance(size, int) else shapes.as_shape(size).as_list()
    if not isinstance(batch_size, SymbolicTensor):
        return array.zeros([int(batch_size), *rest], dtype)
    tensor = array.zeros(stacking.stack([batch_size, *rest]), dtype)
    tensor.set_shape([None, *rest])
    return tensor


def floating(dtype: Any) -> None:
    """Raises ValueError for a type that does not float."""
    if dtype is not None and not (dtypes.as_dtype(dtype).is_floating or dtypes.as_dtype(dtype).is_complex):
        raise ValueError(f"RNN cell only supports floating point inputs, but received dtype: {dtypes.as_dtype(dtype)}")


def check_cell(name: str, cell: Any) -> None:
    """Raises TypeError if something is no cell: it is called, and has sizes and a first state."""
    missing = [
        f"'{what}' property is missing"
        for what in ("output_size", "state_size")
        if not hasattr(type(cell), what) and not hasattr(cell, what)
    ]
    if not (hasattr(type(cell), "zero_state") or hasattr(type(cell), "get_initial_state")):
        missing.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        missing.append("is not callable")
    if missing:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(missing)}.")


def step_result(result: Any) -> tuple[Any, Any]:
    """The output and the new state that a step of a cell returned.

    Raises:
      TypeError: if it returned something else; ValueError for a tuple of another length.
    """
    text = "a step of a cell returns its output and its new state, but this one returned"
    if not isinstance(result, (tuple, list)):
        raise TypeError(f"{text} {shown(result)}")
    if len(result) != 2:
        raise ValueError(f"{text} {len(result)} values: {shown(result)}")
    output, state = result
    return output, state


def floating_tensor(value: Any) -> Any:
    """An input or a state of a cell as a tensor; ValueError if there is none, or if its type does not float."""
    tensor = convert_to_tensor(value)
    floating(tensor.dtype)
    return tensor


def states_of(state: Any, count: int) -> list[Any]:
    """The parts of a state; ValueError if it is no tuple of so many."""
    if not isinstance(state, (tuple, list)) or len(state) != count:
        raise ValueError(f"Expected state to be a tuple of length {count}, but received: {shown(state)}")
    return list(state)


@export("compat.v1.nn.rnn_cell.RNNCell")
class RNNCell(Layer):
    """Base class of cells: `output, new_state = cell(input, state)`.

    A subclass has `state_size`, `output_size` and `call(inputs, state)`; its variables come from `get_variable`, or
    from `add_weight` in `build`.

    Args:
      trainable, name, dtype: as for `tf.layers.Layer`.
    """

    _own_scope: variable_scope | None = None

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Tensor, Any]:
        """One step.

        Args:
          inputs: [batch, size].
          state: a nest of tensors like `state_size`.
          scope: the variable scope; None takes the cell's own, in the current one.

        Returns:
          `(output, new state)`.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._noted) as opened:
                return super().__call__(inputs, state, scope=opened)
        if self._own_scope is None:
            self._own_scope = variable_scope(get_variable_scope(), custom_getter=self._noted)
        with self._own_scope:
            return super().__call__(inputs, state)

    def _noted(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        """Makes a variable that `call` asks for, which becomes a weight of the cell."""
        variable = getter(*args, **kwargs)
        for part in list(variable) if hasattr(variable, "_get_partitions") else [variable]:
            if all(weight is not part for weight, _ in self._weights):
                self._weights.append((part, getattr(part, "trainable", True)))
        return variable

    @property
    def state_size(self) -> int | Any:
        """A nest of sizes, or of shapes without the batch."""
        raise NotImplementedError(f"{type(self).__name__} has no state_size")

    @property
    def output_size(self) -> int | Any:
        """A size, or a nest of sizes."""
        raise NotImplementedError(f"{type(self).__name__} has no output_size")

    def zero_state(self, batch_size: Any, dtype: Any) -> Tensor | Any:
        """Zeros like the state.

        Args:
          batch_size: a number or a scalar tensor.
          dtype: the type.

        Returns:
          A nest of tensors like `state_size`.
        """
        with name_scope(f"{type(self).__name__}ZeroState"):
            return nest.map_structure(lambda size: zeros(batch_size, size, dtype), self.state_size)

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Tensor | Any:
        """`zero_state` for the batch and the type that are given, or those of inputs.

        Raises:
          ValueError: if neither tells them.
        """
        if inputs is not None:
            batch_size = array.shape(inputs)[0] if batch_size is None else batch_size
            dtype = inputs.dtype if dtype is None else dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)


@export("contrib.rnn.LayerRNNCell")
class LayerRNNCell(RNNCell):
    """A cell that makes its weights in `build`.

    Args:
      reuse: whether the weights of an earlier cell in the same scope are shared.
      name, dtype: as for `tf.layers.Layer`.
    """

    def __init__(self, reuse: Any = None, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        floating(self.dtype)
        self.input_spec = InputSpec(ndim=2)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Tensor, Any]:
        """One step; see `RNNCell`."""
        return Layer.__call__(self, inputs, state, scope=scope)

    def depth(self, input_shape: Any) -> int:
        """The size of an input; ValueError if it is not known."""
        floating(self.dtype)
        size = dims_of(input_shape, 1)[-1]
        if size is None:
            raise ValueError(f"Expected inputs.shape[-1] to be known, received shape: {input_shape}")
        return size


@export("compat.v1.nn.rnn_cell.LSTMStateTuple")
class LSTMStateTuple(NamedTuple):
    """The state of an LSTM cell.

    Attributes:
      c: its memory.
      h: its output.
    """

    c: Any
    h: Any

    @property
    def dtype(self) -> DType:
        """The type of both; TypeError if they differ."""
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent dtypes for internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype
