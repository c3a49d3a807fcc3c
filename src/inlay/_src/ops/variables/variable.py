"""`Variable`: a tensor that can be assigned. Eager ones hold their value; graph ones live in a session."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.attributes import WithOperators, elementwise, read_only
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims, TensorShape
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.eager import promotion
from inlay._src.core.eager.attributes import truth, whole
from inlay._src.core.eager.convert import READ_AT_ONCE, convert_to_tensor, symbolic
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import OPS
from inlay._src.core.pictured import RichValue
from inlay._src.core.portability import process_bound, rebound_when_loaded
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor, TensorReference, Value
from inlay._src.core.trackable import Trackable
from inlay._src.ops import indexing
from inlay._src.ops.operators import BINARY, COMPARISONS, UNARY, install_array_members
from inlay._src.ops.scatter import check_rows
from inlay._src.ops.variables import at_once, creating, reading
from inlay._src.ops.variables.creators import MadeByCreators
from inlay._src.ops.variables.save_slice import SaveSliceInfo


@export("VariableSynchronization")
class VariableSynchronization(enum.Enum):
    """When a distributed variable is brought together; accepted, and without effect in one process."""

    AUTO, NONE, ON_WRITE, ON_READ = range(4)


@export("VariableAggregation")
class VariableAggregation(enum.Enum):
    """The way in which the values of a distributed variable are combined; accepted, without effect in one process."""

    NONE, SUM, MEAN, ONLY_FIRST_REPLICA, ONLY_FIRST_TOWER = 0, 1, 2, 3, 3  # the last one is a name of 1.x


@export("Variable", "contrib.eager.Variable")
@rebound_when_loaded
@process_bound("its value is in this process: pass it as an input of the function")
class Variable(RichValue, WithOperators[Tensor], Trackable, metaclass=MadeByCreators):
    """A tensor whose value can be replaced.

    While executing eagerly (and in traced functions) it holds its value. Made in a graph it stands for one value per
    session, which its `initializer` sets.

    Args:
      initial_value: the first value, or a function that makes it.
      trainable: whether tapes watch it when it is read, and whether it joins `trainable_variables()`.
      validate_shape: whether its shape stays that of the initial value. (A list here is taken as `collections`, the
        third argument of 1.x.)
      caching_device: the device of values that are read from a variable of a graph; None: its own. Ignored eagerly.
      variable_def, import_scope, expected_shape, use_resource: accepted and ignored.
      name: its name.
      dtype: its type; None takes the initial value's.
      constraint: a function of the value that optimizers apply after an update.
      synchronization, aggregation: kept; without effect in one process.
      shape: its partial shape; None takes the initial value's.
      collections: graph collections to join instead of `GraphKeys.GLOBAL_VARIABLES`.

    Raises:
      ValueError: if there is no initial value, or it does not fit `shape`.
    """

    SaveSliceInfo = SaveSliceInfo
    aggregation: Any
    constraint: Callable[[Any], Any] | None
    synchronization: Any
    _dims: Dims
    _dtype: DType
    _handle: Tensor
    _name: str
    _initializer: Operation | None
    _initial: Any
    _graph: Any
    _caching_device: Any = None
    _distribute_strategy: Any = None  # in whose scope it was created
    _reading: Any = None  # the attributes of a read, and what a tape's structure says of them

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: Any = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
        collections: Any = None,
        expected_shape: Any = None,
        use_resource: Any = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must be provided.")
        if constraint is not None and not callable(constraint):
            raise ValueError(f"Argument `constraint` must be None or a callable, got {constraint!r}.")
        if isinstance(validate_shape, (list, tuple)):
            validate_shape, collections = True, validate_shape
        on_read = synchronization is VariableSynchronization.ON_READ
        self._trainable = not on_read if trainable is None else bool(trainable)
        self.constraint, self.synchronization, self.aggregation = constraint, synchronization, aggregation
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        graph, keeper, label = context.home(), context.keeper(), creating.label_of(name)
        if graph is None:
            label = context.current().scope + label
            creating.eager(self, initial_value, wanted, label, shape, validate_shape)
            if "global_step" in (collections or ()):  # the one collection that TensorFlow keeps for eager variables
                graphs.default_graph().add_to_collection("global_step", self)
        else:
            creating.in_graph(self, graph, initial_value, wanted, label, shape, validate_shape)
            self._caching_device = caching_device
        if keeper is not None:
            names = ["variables"] if collections is None else list(collections)
            keeper.add_to_collections([*names, "trainable_variables"] if self._trainable else names, self)
        creating.note_created(self)

    # ---- reading

    def _read(self, name: str | None = None) -> Any:
        if (value := at_once.read(self)) is not None:
            return value
        return reading.emitted(self, name)

    def value(self) -> Tensor:
        """The current value as a tensor."""
        return self._read()

    def read_value(self) -> Tensor:
        """The current value as a tensor, read now."""
        return self._read("Read/ReadVariableOp")

    def numpy(self) -> Value:
        """The current value as an array of the caller's own; NotImplementedError for one of a graph or function."""
        if not isinstance(self._handle, EagerTensor):
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return self._now().numpy()

    def _now(self) -> EagerTensor:
        """An eager variable's value, whatever graph is in force."""
        return EagerTensor(self._handle._value.read(), self._dtype)  # type: ignore[attr-defined]

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self._read(reading.name_in_scope(name))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._read().__array__(dtype, copy)  # type: ignore[no-any-return]

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._read().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self._read().__dlpack_device__()

    def eval(self, session: Any = None) -> Value:
        """The value in `session` or the default session."""
        if self._graph is None:
            raise NotImplementedError("eval() is for variables of a graph; use .numpy() on an eager one.")
        return self._snapshot.eval(session=session)  # type: ignore[attr-defined]

    def initialized_value(self) -> Tensor:
        """The value if there is one, else the initial value (1.x): for the initial value of another variable."""
        if self._graph is None:
            return self._read()
        return emit(OPS["InitializedValue"], (self._handle, self._initial), {"shape": self._dims}, "initialized_value")

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The rows at `indices`."""
        return emit(OPS["GatherV2"], (self._read(), indices), {"axis": 0, "batch_dims": 0}, name)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements or slices at the places that the last axis of `indices` names."""
        return emit(OPS["GatherNd"], (self._read(), indices), {"batch_dims": 0, "bad_indices_policy": ""}, name)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether it has a value, as a bool tensor."""
        return emit(OPS["VarIsInitializedOp"], (self._handle,), {}, name)

    # ---- writing

    def _changed(self, node: Any, read_value: bool) -> Any:
        """The result of a write: eagerly the variable; in a graph the new value, or the operation."""
        if not isinstance(node, Operation):
            return self if read_value else None
        if not read_value or (node.graph.building_function and not node.graph.in_v1):  # type: ignore[attr-defined]
            return self if read_value else node
        state = context.current()
        with context.using(state if state.graph is node.graph else context.State(graph=node.graph)):
            with node.graph.control_dependencies([node]):
                return self._read()

    @boundary
    def _write(self, type_name: str, value: Any, name: str | None, read_value: bool) -> Any:
        try:
            read_value = read_value if read_value.__class__ is bool else truth(read_value, "read_value")
            same = value.__class__ is EagerTensor and value._dtype is self._dtype
            tensor = value if same else promotion.assigned(value, self._dtype)
            if tensor.__class__ is EagerTensor and at_once.write(self, OPS[type_name], tensor._value):
                return self if read_value else None
            if not shapes.compatible(tensor.shape._dims, self._dims):
                raise ValueError(
                    f"Cannot assign value to variable '{self._name}': Shape mismatch. The variable shape "
                    f"{self.shape}, and the assigned value shape {tensor.shape} are incompatible."
                )
            return self._changed(emit(OPS[type_name], (self._handle, tensor), {}, name), read_value)
        except Exception as error:
            leave(error)
            raise

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | Any:
        """Replaces the value.

        Args:
          value: a value of the variable's type and shape.
          use_locking: ignored; writes never tear.
          name: the operation's name.
          read_value: whether the result is the new value rather than the operation.

        Returns:
          Eagerly the variable. In a graph a tensor read after the write, or the operation if `read_value` is False.
        """
        return self._write("AssignVariableOp", value, name, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | Any:
        """Adds `delta` in one indivisible step; arguments and result as for `assign`."""
        return self._write("AssignAddVariableOp", delta, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | Any:
        """Subtracts `delta` in one indivisible step; arguments and result as for `assign`."""
        return self._write("AssignSubVariableOp", delta, name, read_value)

    def count_up_to(self, limit: int) -> Tensor:
        """The value, which becomes one more (1.x).

        Args:
          limit: a number that is not counted beyond.

        Raises:
          OutOfRangeError: when it runs, if the value is `limit` already.
        """
        return emit(OPS["ResourceCountUpTo"], (self._handle,), {"T": self._dtype, "limit": whole(limit, "limit")})

    def _assign_slice(self, key: Any, value: Any, name: str | None = None) -> Any:
        """`variable[key].assign(value)`."""
        index, dynamic = indexing.parsed(key)
        operands = (self._handle, convert_to_tensor(value, self._dtype), dynamic)
        return self._changed(emit(OPS["ResourceStridedSliceAssign"], operands, {"index": index}, name), True)

    def _scatter(self, kind: str, indices: Any, updates: Any, name: str | None) -> Any:
        updates = convert_to_tensor(updates, self._dtype)
        if not kind.startswith("Nd"):
            indices = convert_to_tensor(indices)
            check_rows(indices, updates, self.shape)
        return self._changed(emit(OPS[f"ResourceScatter{kind}"], (self._handle, indices, updates), {}, name), True)

    def _scatter_rows(self, kind: str, sparse_delta: Any, name: str | None) -> Any:
        if not (hasattr(sparse_delta, "indices") and hasattr(sparse_delta, "values")):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta!r}")
        return self._scatter(kind, sparse_delta.indices, sparse_delta.values, name)

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Tensor | Variable:
        """Replaces the rows that `sparse_delta`, an `IndexedSlices`, names."""
        return self._scatter_rows("Update", sparse_delta, name)  # type: ignore[no-any-return]

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor | Variable:
        """Adds to the rows that `sparse_delta`, an `IndexedSlices`, names; repeated rows add up."""
        return self._scatter_rows("Add", sparse_delta, name)  # type: ignore[no-any-return]

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor | Variable:
        """Subtracts from the rows that `sparse_delta`, an `IndexedSlices`, names."""
        return self._scatter_rows("Sub", sparse_delta, name)  # type: ignore[no-any-return]

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor | Variable:
        """Multiplies the rows that `sparse_delta`, an `IndexedSlices`, names."""
        return self._scatter_rows("Mul", sparse_delta, name)  # type: ignore[no-any-return]

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor | Variable:
        """Divides the rows that `sparse_delta`, an `IndexedSlices`, names."""
        return self._scatter_rows("Div", sparse_delta, name)  # type: ignore[no-any-return]

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor | Variable:
        """Takes the minimum with the rows that `sparse_delta`, an `IndexedSlices`, names."""
        return self._scatter_rows("Min", sparse_delta, name)  # type: ignore[no-any-return]

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Tensor | Variable:
        """Takes the maximum with the rows that `sparse_delta`, an `IndexedSlices`, names."""
        return self._scatter_rows("Max", sparse_delta, name)  # type: ignore[no-any-return]

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Tensor | Variable:
        """Replaces the slices that the last axis of `indices` addresses."""
        return self._scatter("NdUpdate", indices, updates, name)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Tensor | Variable:
        """Adds to the slices that the last axis of `indices` addresses."""
        return self._scatter("NdAdd", indices, updates, name)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Tensor | Variable:
        """Subtracts from the slices that the last axis of `indices` addresses."""
        return self._scatter("NdSub", indices, updates, name)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Tensor | Variable:
        """Takes the maximum with the slices that the last axis of `indices` addresses."""
        return self._scatter("NdMax", indices, updates, name)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Tensor | Variable:
        """Takes the minimum with the slices that the last axis of `indices` addresses."""
        return self._scatter("NdMin", indices, updates, name)

    def load(self, value: Any, session: Any = None) -> None:
        """Replaces the value in a session (1.x); eagerly the same as `assign`."""
        if self._graph is None:
            self.assign(value)
        else:
            self._graph.session_for(session, "variable").run(self._initializer, {self._initial: value})

    # ---- what it is

    dtype: DType = read_only(lambda self: self._dtype, doc="The DType.")
    shape: TensorShape = read_only(lambda self: shapes.from_dims(self._dims), doc="The partial shape.")
    name: str = read_only(lambda self: self._name, doc="The name, with `:0`.")
    handle: Tensor = read_only(lambda self: self._handle, doc="The resource tensor that stands for the variable.")
    trainable: bool = read_only(lambda self: self._trainable, doc="Whether tapes watch it.")
    initial_value: Tensor = read_only(lambda self: self._initial, doc="The tensor it was made from.")
    graph: Graph | None = read_only(lambda self: self._graph, doc="Its graph; None for an eager variable.")
    initializer: Operation | None = read_only(lambda self: self._initializer, doc="Gives it its initial value.")
    op: Operation = read_only(lambda self: self._handle.op, doc="The handle's operation.")
    device: str = read_only(lambda self: self._handle.device, doc="Where it lives.")

    @property
    def _unique_id(self) -> str:
        """A name that no other variable of the process, or of the graph, has; it is the same in every trace."""
        if isinstance(self._handle, SymbolicTensor):
            return self._handle.op.name  # type: ignore[no-any-return]
        number: int = vars(self).setdefault("_number", next(_NUMBERS))
        return f"{self._shared_name}_{number}"

    @property
    def _shared_name(self) -> str:
        return self._name.removesuffix(":0")

    def get_shape(self) -> TensorShape:
        """The partial shape."""
        return self.shape  # type: ignore[no-any-return]

    def ref(self) -> TensorReference:
        """A hashable handle that compares by identity."""
        return TensorReference(self)

    def __inlay_symbolic__(self) -> SymbolicTensor | None:
        return self._handle if isinstance(self._handle, SymbolicTensor) else None

    def __inlay_gradient_source__(self) -> Tensor:
        return handle_here(self._handle)

    def __inlay_graph_element__(self) -> Any:
        return self._snapshot if self._graph is not None else self  # type: ignore[attr-defined]

    def __inlay_control__(self) -> Any:
        return None if self._graph is None else self._handle.op  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        if self._graph is None and elementwise():
            text = f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
            raise TypeError(f"{text} (inlay explain unhashable)")
        return id(self)

    def __eq__(self, other: object) -> Any:
        return self is other if self._by_identity(other) else self._read() == other

    def __ne__(self, other: object) -> Any:
        return self is not other if self._by_identity(other) else self._read() != other

    def _by_identity(self, other: object) -> bool:
        return self._graph is not None or other is None or not elementwise()

    def __getitem__(self, key: Any) -> Tensor:
        """The part of the value that a key selects, with `assign` to write it; keys are those of a tensor."""
        part = self._read()[key]
        part._slice_of = self, key
        return part

    def __iter__(self) -> Iterator[Any]:
        return iter(self._read())

    def __bool__(self) -> bool:
        return bool(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __float__(self) -> float:
        return float(self._read())

    def __complex__(self) -> complex:
        return complex(self._read())

    def __index__(self) -> int:
        return self._read().__index__()  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        text = f"<tf.Variable {self._name!r} shape={self.shape} dtype={self._dtype.name}"
        if not isinstance(self._handle, EagerTensor) or context.current().graph is not None:
            return f"{text}>"
        return f"{text}, numpy={self._now()._printed()}>"

    def __reduce__(self) -> Any:
        return _rebuilt, (self.numpy(), self._trainable, self._name.removesuffix(":0"), self._dtype, self._dims)

    def __deepcopy__(self, memo: Any) -> Variable:
        if self._graph is not None:
            raise NotImplementedError("__deepcopy__() is only available when eager execution is enabled.")
        copied = memo[id(self)] = _rebuilt(*self.__reduce__()[1])
        copied.constraint = self.constraint
        copied.synchronization, copied.aggregation = self.synchronization, self.aggregation
        return copied


_NUMBERS = itertools.count()


def handle_here(handle: Tensor) -> Tensor:
    """The handle of a variable in the function that is traced, if one is."""
    graph = context.current().graph
    if graph is None or not graph.building_function or getattr(handle, "graph", None) is graph:
        return handle
    return symbolic(handle, graph)


def _rebuilt(value: Any, trainable: bool, name: str, dtype: DType, dims: Dims) -> Variable:
    with context.using(context.State()):
        return Variable(value, trainable=trainable, name=name, dtype=dtype, shape=shapes.from_dims(dims))


_IN_PLACE = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "**": "pow"}


def _install() -> None:
    """Gives Variable the operators of Tensor, on its value."""

    def delegate(name: str) -> Callable[..., Any]:
        @boundary
        def method(self: Variable, *args: Any) -> Any:
            try:
                return getattr(self._read(), name)(*args)
            except Exception as error:
                leave(error)
                raise

        return method

    def in_place(symbol: str, name: str) -> Callable[..., Any]:
        def method(self: Variable, value: Any) -> Any:
            if self._graph is not None:  # in 1.x this makes a tensor
                return NotImplemented
            instead = f"assign_{name}(value)" if name in ("add", "sub") else f"assign(variable {symbol} value)"
            raise RuntimeError(
                f"`variable {symbol}= value` with `tf.Variable`s is not supported. Use `variable.{instead}` to modify "
                f"the variable, or `out = variable {symbol} value` if you need to get a new output Tensor."
            )

        return method

    install_array_members(Variable)
    for name in (*BINARY, *(f"r{n}" for n in BINARY), *COMPARISONS, *UNARY):
        setattr(Variable, f"__{name}__", delegate(f"__{name}__"))
    for symbol, name in _IN_PLACE.items():
        setattr(Variable, f"__i{name}__", in_place(symbol, name))
    Variable.__array_priority__ = 100  # type: ignore[attr-defined]


_install()
READ_AT_ONCE[Variable] = lambda variable, dtype: at_once.read(variable) if variable._dtype is dtype else None
