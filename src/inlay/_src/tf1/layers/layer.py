"""`Layer`: a function with weights, which are created at the first call and shared by their names.

    layer(x) ─▶ variable_scope(name) ─▶ build(shape of x) ─▶ add_weight ─▶ get_variable: "dense/kernel:0"
                                     └▶ call(x)

The scope of a layer is opened once, when it is first called, and entered again from then on: a name that nobody gave is
unique in the graph (`dense`, `dense_1`), one that was given to a function is taken as it is.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.parameters import bound, declare, documented, parameters_of
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.eager.attributes import text
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import default_graph
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.partitioned import PartitionedVariable
from inlay._src.ops.variables.scope import VariableScope, get_variable, variable_scope
from inlay._src.ops.variables.variable import Variable, VariableAggregation, VariableSynchronization
from inlay._src.tf1.layers.choosing import initializer_of, regularizer_of


@export("compat.v1.layers.InputSpec")
class InputSpec:
    """The inputs of a layer.

    Args:
      dtype: the type.
      shape: the shape; None stands for any size.
      ndim, max_ndim, min_ndim: the rank, its greatest and its least value.
      axes: axis -> its size; None for any.

    Attributes:
      dtype, shape, ndim, max_ndim, min_ndim, axes: as given.
    """

    max_ndim: int | None
    min_ndim: int | None
    name: str | None

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: Any = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
    ) -> None:
        self.dtype: str | None = None if dtype is None else dtypes.as_dtype(dtype).name
        self.shape: shapes.TensorShape | None = None if shape is None else shapes.as_shape(shape)
        self.ndim: int | None = ndim if self.shape is None else self.shape.rank
        self.max_ndim, self.min_ndim, self.name = max_ndim, min_ndim, name
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.axes: dict[int, int | None] = {int(axis): size for axis, size in dict(axes or {}).items()}

    def check(self, value: Any, layer: str) -> None:
        """Raises ValueError if a tensor does not fit."""
        if not isinstance(getattr(value, "shape", None), TensorShape):
            value = convert_to_tensor(value)
        rank, says = value.shape.rank, f'Input 0 of layer "{layer}" is incompatible with the layer: '
        if rank is None:
            if (self.ndim, self.max_ndim, self.min_ndim) != (None, None, None):
                raise ValueError(f"{says}its rank is undefined, but the layer requires a defined rank.")
            return
        if self.ndim is not None and rank != self.ndim:
            wanted, bound = f"expected ndim={self.ndim}", rank
        elif self.max_ndim is not None and rank > self.max_ndim:
            wanted, bound = f"expected max_ndim={self.max_ndim}", rank
        elif self.min_ndim is not None and rank < self.min_ndim:
            wanted, bound = f"expected min_ndim={self.min_ndim}", rank
        else:
            self._check_sizes(value, says)
            return
        raise ValueError(f"{says}{wanted}, found ndim={bound}. Full shape received: {value.shape}")

    def _check_sizes(self, value: Any, says: str) -> None:
        if self.dtype is not None and value.dtype.name != self.dtype:
            raise ValueError(f"{says}expected dtype={self.dtype}, found dtype={value.dtype.name}")
        dims = value.shape.as_list()
        for axis, size in self.axes.items():
            if size is not None and dims[axis] not in (size, None):
                raise ValueError(
                    f"{says}expected axis {axis} of input shape to have value {size}, but received input with shape "
                    f"{value.shape}"
                )
        if self.shape is not None and not self.shape.is_compatible_with(value.shape):
            raise ValueError(f"{says}expected shape={self.shape}, found shape={value.shape}")


@export("compat.v1.layers.Layer")
class Layer:
    """Base class of layers.

    A subclass makes its weights in `build(input_shape)` by `add_weight`, and computes in `call(inputs)`.

    Args:
      trainable: whether the weights are.
      name: the name, made unique in the graph; None takes the class's in snake case.
      dtype: the type of weights; None takes that of the first input.

    Attributes:
      trainable: whether the weights are.
      built: whether the weights were made.
      input_spec: an `InputSpec` that inputs are held against, or None.
    """

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None, **kwargs: Any) -> None:
        scope, self._reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        self.activity_regularizer: Any = regularizer_of(kwargs.pop("activity_regularizer", None))
        if kwargs:
            raise TypeError(f"{type(self).__name__} takes no keyword argument {', '.join(map(repr, kwargs))}")
        self.trainable, self.built, self.input_spec = trainable, False, None
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        label = name.name if isinstance(name, VariableScope) else "" if name is None else text(name, "name")
        self._base_name = label or snake_case(type(self).__name__)
        self._name = self._base_name if name else _unique_name(self._base_name)
        self._weights: list[tuple[Any, bool]] = []
        self._updates: list[Any] = []
        self._losses: list[Any] = []
        self._scope: VariableScope | None = None
        self._current_scope: VariableScope | None = None
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    input_spec: InputSpec | None
    trainable: bool
    built: bool

    # ---- what it is called and holds

    @property
    def name(self) -> str:
        """The name."""
        return str(self._name)

    @property
    def dtype(self) -> DType | None:
        """The type of the weights; None if the first input will say it."""
        return self._dtype

    @property
    def scope_name(self) -> str:
        """The name of the variable scope; ValueError before the layer was called."""
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been used yet. The scope '
                "name is determined the first time the layer instance is called. You must therefore call the layer "
                "before querying `scope_name`."
            )
        return self._scope.name

    @property
    def trainable_variables(self) -> list[Any]:
        """The weights that train; none if the layer does not."""
        return [v for v, trains in self._weights if trains] if self.trainable else []

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The other weights; all of them if the layer does not train."""
        fixed = [v for v, trains in self._weights if not trains]
        return fixed if self.trainable else [v for v, trains in self._weights if trains] + fixed

    @property
    def variables(self) -> list[Any]:
        """The weights, those that train first."""
        return self.trainable_variables + self.non_trainable_variables

    trainable_weights, non_trainable_weights, weights = trainable_variables, non_trainable_variables, variables

    @property
    def updates(self) -> list[Any]:
        """The operations that keep statistics; none if the layer does not train."""
        return list(self._updates) if self.trainable else []

    @property
    def losses(self) -> list[Any]:
        """The losses of regularizers and of `add_loss`."""
        return list(self._losses)

    def get_weights(self) -> list[np.ndarray]:
        """The values of the weights; of a graph's in the default session."""
        return [v.numpy() if v.graph is None else v.eval() for v in self.variables]

    def count_params(self) -> int:
        """The number of elements of the weights."""
        if not self.built:
            raise ValueError(f"You tried to call `count_params` on layer {self.name}, but the layer isn't built.")
        return sum(v.shape.num_elements() for v in self.variables)

    # ---- what subclasses write

    def build(self, input_shape: Any) -> None:
        """Makes the weights for inputs of a shape."""
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output of the layer."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of what the layer makes of inputs of a shape."""
        raise NotImplementedError(f"{type(self).__name__} does not say its output shape")

    # ---- weights, losses, updates

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        partitioner: Any = None,
    ) -> Variable | Any:
        """Makes a weight, or finds the one of this name where the scope shares.

        Args:
          name: its name in the layer's scope.
          shape: its shape.
          dtype: its type; None takes the layer's, else float32.
          initializer: as for `get_variable`, or the name of one; None takes the scope's.
          regularizer: a function of the variable whose result is a loss of the layer.
          trainable: whether it trains; never if the layer does not.
          constraint, synchronization, aggregation, partitioner: as for `get_variable`.
          use_resource: ignored.

        Returns:
          A `Variable`, or a `PartitionedVariable`.

        Raises:
          ValueError: if it should be synchronized on reading and trained.
        """
        on_read = synchronization is VariableSynchronization.ON_READ
        if on_read and trainable:
            raise ValueError(
                "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable variables. "
                "You have specified trainable=True and synchronization=VariableSynchronization.ON_READ."
            )
        wanted = (not on_read if trainable is None else trainable) and self.trainable
        keeper = context.keeper()
        earlier = set() if keeper is None else {id(v) for v in keeper.get_collection(GraphKeys.GLOBAL_VARIABLES)}
        with self._entered(self.built or self._reuse), name_scope(self._names()):
            variable = get_variable(
                name, shapes.as_shape(shape), dtype or self._dtype or dtypes.float32, initializer_of(initializer),
                trainable=wanted, constraint=constraint, partitioner=partitioner, synchronization=synchronization,
                aggregation=aggregation,
            )  # fmt: skip
            parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
            if regularizer is not None and not any(id(part) in earlier for part in parts):
                for part in parts:
                    with name_scope(f"{name}/Regularizer"):
                        cost = regularizer_of(regularizer)(part)
                    if cost is not None:
                        self.add_loss(cost)
        self._weights += [(part, wanted and getattr(part, "trainable", True)) for part in parts]
        return variable

    @parameters_of(add_weight)
    def add_variable(self, **kwargs: Any) -> Variable | Any:
        """`add_weight` under its older name."""
        return self.add_weight(**kwargs)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses of the layer; those of a graph join `GraphKeys.REGULARIZATION_LOSSES`.

        Args:
          losses: scalars, or functions without arguments that make them.
          inputs: ignored.
        """
        values = [one() if callable(one) and not isinstance(one, Tensor) else one for one in nest.flatten(losses)]
        values = [one for one in values if one is not None]
        self._losses += values
        _join(GraphKeys.REGULARIZATION_LOSSES, values)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds operations that keep statistics; those of a graph join `GraphKeys.UPDATE_OPS` after the call.

        Args:
          updates: operations, tensors, or functions without arguments that make them.
          inputs: ignored.
        """
        values = [one() if callable(one) and not isinstance(one, Tensor) else one for one in nest.flatten([updates])]
        self._updates += [getattr(one, "op", one) for one in values if one is not None]

    # ---- calls

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Builds the layer if this is its first call, then calls it.

        Args:
          inputs: a tensor, an array, or a nest of them.
          *args, **kwargs: handed on to `call`; `scope` is the variable scope of the layer.

        Returns:
          The result of `call`.

        Raises:
          ValueError: if the inputs do not fit, or `call` returns None.
        """
        self._find_scope(kwargs.pop("scope", None))
        with self._entered(True if self.built else self._reuse) as scope, name_scope(self._names()):
            if "scope" in inspect.signature(self.call).parameters:
                kwargs["scope"] = scope
            inputs = nest.map_structure(as_tensor, inputs)
            self._make_ready(inputs)
            outputs = self.call(inputs, *args, **kwargs)
            if outputs is None:
                raise ValueError(f"{type(self).__name__}.call returned None: is a `return` missing?")
            if self.activity_regularizer is not None:
                with name_scope("ActivityRegularizer"):
                    for one in nest.flatten(outputs):
                        cost = self.activity_regularizer(one)
                        self.add_loss(cost / math.cast(array.shape(one)[0], cost.dtype))  # of each example
        _join(GraphKeys.UPDATE_OPS, self.updates)
        return outputs

    apply = __call__

    def _make_ready(self, inputs: Any) -> None:
        """Holds inputs against the spec, and builds the layer if it is not built."""
        listed = nest.flatten(inputs)
        if isinstance(self.input_spec, InputSpec):
            for one in listed:
                self.input_spec.check(one, self.name)
        if self.built:
            return
        if self._dtype is None and listed:
            self._dtype = listed[0].dtype
        input_shapes = nest.map_structure(lambda one: one.shape, inputs)
        self.build(input_shapes)
        self.built = True

    def _find_scope(self, scope: Any = None) -> None:
        if self._scope is None:
            base = scope if scope is not None or not self._reuse else self._base_name
            with variable_scope(base, default_name=self._base_name) as captured:
                self._scope = captured

    def _entered(self, reuse: Any) -> variable_scope:
        self._find_scope()
        return _LayerScope(self, reuse)

    def _names(self) -> str:
        assert self._current_scope is not None
        return self._current_scope.original_name_scope


class _LayerScope(variable_scope):
    """The scope of a layer, entered again."""

    def __init__(self, layer: Layer, reuse: Any) -> None:
        super().__init__(layer._scope, reuse=reuse, auxiliary_name_scope=False)
        self._layer = layer

    def __enter__(self) -> VariableScope:
        self._layer._current_scope = scope = super().__enter__()
        return scope


def dims_of(input_shape: Any, least: int, most: int | None = None) -> list[int | None]:
    """The sizes of a shape of inputs, None for those that are not known.

    Args:
      input_shape: the shape.
      least, most: the bounds of its rank; without `most` any higher one fits.

    Raises:
      ValueError: if its rank is not known, or another.
    """
    shape = shapes.as_shape(input_shape)
    if shape.rank is None or not least <= shape.rank <= (shape.rank if most is None else most):
        wanted = f"rank {least}" if most == least else f"at least rank {least}"
        raise ValueError(f"Expected a shape of inputs of {wanted}, got {shape}")
    return shape.as_list()


def snake_case(name: str) -> str:
    """`Conv2DTranspose` as `conv2d_transpose`: the names of layers in checkpoints are made so."""
    parted = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub(r"([a-z])([A-Z])", r"\1_\2", parted).lower()
    return f"private{snake}" if snake.startswith("_") else snake


def as_tensor(value: Any) -> Any:
    """An array or a number as a tensor; anything else as it is."""
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, np.generic, float, int)) else value


def _join(key: str, items: Sequence[Any]) -> None:
    """Adds what a collection of the graph does not have yet; eagerly there are no collections."""
    if context.executing_eagerly():
        return
    collection = default_graph().get_collection_ref(key)
    members = {id(item) for item in collection}
    collection.extend(item for item in items if id(item) not in members)


def _unique_name(base: str) -> str:
    """`base`, or `base_1` and so on, for the layers of a graph that nobody gave a name."""
    counts = default_graph()._collections.setdefault(("__layer_names",), [{}])[0]
    counts[base] = counts.get(base, 0) + 1
    return base if counts[base] == 1 else f"{base}_{counts[base] - 1}"


def functional(layer: type[Layer], name: str, *, shares: bool = True, last: str = "") -> Callable[..., Any]:
    """The function of a layer: `name(inputs, ...)` makes the layer and calls it.

    Args:
      layer: the layer's class. The function takes the arguments of its constructor and the further ones of its `call`.
      name: the function's name.
      shares: whether it takes `reuse` and names the variable scope.
      last: the parameters at the end of the signature, in order, where that is not the constructor's.
    """
    inputs, *called = list(inspect.signature(layer.call).parameters.values())[1:]
    constructed = [p for p in inspect.signature(layer).parameters.values() if p.kind is not p.VAR_KEYWORD]
    listed = {p.name: p for p in (inputs, *constructed, *called)}
    if shares:
        listed["reuse"] = inspect.Parameter("reuse", inputs.kind, default=None, annotation="Any")
    ordered = [p for p in listed if p not in last.split()] + last.split()
    signature = inspect.Signature([listed[p] for p in ordered], return_annotation="Tensor")

    def function(*args: Any, **kwargs: Any) -> Tensor:
        arguments = bound(function, signature, args, kwargs)
        value = arguments.pop("inputs")
        further = {p.name: arguments.pop(p.name) for p in called if p.name in arguments}
        if shares:
            arguments |= {"_reuse": arguments.pop("reuse", None), "_scope": arguments.get("name")}
        return layer(**arguments)(value, **further)

    function.__name__ = function.__qualname__ = name
    about = """
    Args:
      inputs: a tensor.
      training: a bool or a scalar tensor.
      name: the name of the layer; None takes the function's, made unique.
      reuse: True shares the weights of an earlier call of this name.

    Returns:
      A tensor.
    """
    summary, _, sections = inspect.cleandoc(layer.__doc__ or "").partition("\n\nArgs:")
    doc = f"{summary}\n\nArgs:{sections}".partition("\n\nAttributes:")[0]
    return declare(function, signature, documented(doc, signature.parameters, about))  # type: ignore[no-any-return]
