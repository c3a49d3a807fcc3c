"""`Variable`: a tensor that can be assigned. Eager ones hold their value; graph ones live in a session."""

from __future__ import annotations

import contextvars
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from inlay.core import context
from inlay.core import graph as graphs
from inlay.core.emit import convert_to_tensor, emit, symbolic
from inlay.core.graph import Operation
from inlay.core.opdef import OPS
from inlay.core.state import Cell
from inlay.core.tensor import EagerTensor, Reference, SymbolicTensor, Tensor
from inlay.ops import control
from inlay.ops import state as ops
from inlay.types import dtypes, shapes
from inlay.types.dtypes import DType
from inlay.types.shapes import TensorShape

_eager_names = threading.local()


_CREATED: contextvars.ContextVar[list[Any] | None] = contextvars.ContextVar("inlay_created_variables", default=None)


@contextmanager
def created_since() -> Iterator[list[Any]]:
    """Collects the eager variables made in the block."""
    made: list[Any] = []
    token = _CREATED.set(made)
    try:
        yield made
    finally:
        _CREATED.reset(token)


class Variable:
    """A tensor whose value can be replaced.

    Args:
      initial_value: the first value, or a function that makes it.
      trainable: whether tapes watch it when it is read, and whether it joins `trainable_variables()`.
      validate_shape: whether its shape stays that of the initial value.
      name: its name.
      dtype: its type; None takes the initial value's.
      shape: its partial shape; None takes the initial value's.
      collections: graph collections to join, besides the usual ones.
    """

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
        collections: Any = None,
        expected_shape: Any = None,
        use_resource: Any = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must be provided.")
        self._trainable = True if trainable is None else bool(trainable)
        self.constraint = constraint
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        graph = context.current().graph
        label = name or "Variable"
        if graph is None or graph.building_function:
            with context.using(context.State(tapes=())) if graph is not None else _nothing():
                value = convert_to_tensor(initial_value() if callable(initial_value) else initial_value, wanted)
            assert isinstance(value, EagerTensor), "a variable made while tracing needs an eager initial value"
            self._dims = self._declared(shape, value, validate_shape)
            self._dtype = value.dtype
            cell = Cell(label, self._dtype, self._dims, self._trainable)
            cell.value = value._value
            cell.owner = weakref.ref(self)
            watching = _CREATED.get()
            if watching is not None:
                watching.append(self)
            self._handle: Tensor = EagerTensor(cell, dtypes.resource)
            self._name = f"{label}:0"
            self._initializer: Operation | None = None
            self._initial: Any = value
            self._graph: Any = None
            return
        self._in_graph(graph, initial_value, wanted, label, shape, validate_shape, collections)

    @staticmethod
    def _declared(shape: Any, value: Tensor, validate_shape: bool) -> Any:
        if shape is not None:
            return shapes.as_shape(shape)._dims
        return value.shape._dims if validate_shape else None

    def _in_graph(
        self,
        graph: Any,
        initial_value: Any,
        wanted: DType | None,
        label: str,
        shape: Any,
        validate_shape: bool,
        collections: Any,
    ) -> None:
        self._graph = graph
        with graph.name_scope(label) as scope:
            with graph.control_dependencies(None):
                given = initial_value() if callable(initial_value) else initial_value
                value = convert_to_tensor(given, wanted, name="initial_value")
                self._dims = self._declared(shape, value, validate_shape)
                self._dtype = value.dtype
                key = ops.HandleKey(scope.rstrip("/"), self._dtype, self._dims, self._trainable)
                key.owner = weakref.ref(self)
                node = graph.add(
                    OPS["VarHandleOp"], (), {"key": key, "dtype": self._dtype}, (dtypes.resource,), ((),), scope
                )
                self._handle = node.outputs[0]
                self._name = f"{node.name}:0"
                self._initial = value
                self._initializer = emit(OPS["AssignVariableOp"], (self._handle, value), {}, "Assign")
                with graph.name_scope("Read"):
                    self._snapshot = self._read("ReadVariableOp")
        names = ["variables"] if collections is None else list(collections)
        if self._trainable:
            names.append("trainable_variables")
        graph.add_to_collections(names, self)

    # ---- reading

    def _read(self, name: str | None = None) -> Any:
        return emit(OPS["ReadVariableOp"], (self._handle,), {"dtype": self._dtype, "shape": self._dims}, name)

    def value(self) -> Any:
        """The current value as a tensor."""
        return self._read()

    def read_value(self) -> Any:
        """The current value as a tensor, read now."""
        return self._read()

    def numpy(self) -> Any:
        """The current value as an array."""
        if self._graph is not None:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return EagerTensor(self._handle._value.read(), self._dtype).numpy()  # type: ignore[attr-defined]

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self._read()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._read().__array__(dtype)

    def eval(self, session: Any = None) -> Any:
        """The value in `session` or the default session."""
        return self._snapshot.eval(session=session)

    def initialized_value(self) -> Any:
        """The initial value (1.x)."""
        return self._initial

    # ---- writing

    def _write(self, type_name: str, value: Any, name: str | None, read_value: bool) -> Any:
        tensor = convert_to_tensor(value, self._dtype)
        if not shapes.compatible(tensor.shape._dims, self._dims):
            raise ValueError(
                f"Cannot assign value to variable '{self._name}': Shape mismatch. The variable shape "
                f"{self.shape}, and the assigned value shape {tensor.shape} are incompatible."
            )
        node = emit(OPS[type_name], (self._handle, tensor), {}, name)
        if not isinstance(node, Operation):
            return self
        if not read_value:
            return node
        if node.graph.building_function:
            return self
        with node.graph.control_dependencies([node]):
            return emit(OPS["ReadVariableOp"], (self._handle,), {"dtype": self._dtype, "shape": self._dims})

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replaces the value. Eagerly returns the variable; in a graph a tensor with the new value (or the op)."""
        return self._write("AssignVariableOp", value, name, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta`; returns as `assign`."""
        return self._write("AssignAddVariableOp", delta, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts `delta`; returns as `assign`."""
        return self._write("AssignSubVariableOp", delta, name, read_value)

    def load(self, value: Any, session: Any = None) -> None:
        """Replaces the value in a session (1.x)."""
        assert self._initializer is not None
        self._handle.graph.session_for(session, "variable").run(self._initializer, {self._initial: value})  # type: ignore

    # ---- what it is

    dtype = property(lambda self: self._dtype, doc="The DType.")
    shape = property(lambda self: shapes.from_dims(self._dims), doc="The partial shape.")
    name = property(lambda self: self._name, doc="The name, with `:0`.")
    handle = property(lambda self: self._handle, doc="The resource tensor that stands for the variable.")
    trainable = property(lambda self: self._trainable, doc="Whether tapes watch it.")
    initial_value = property(lambda self: self._initial, doc="The tensor it was made from.")
    graph = property(lambda self: self._graph, doc="Its graph; None for an eager variable.")

    @property
    def initializer(self) -> Any:
        """The operation that gives it its initial value."""
        return self._initializer

    @property
    def op(self) -> Any:
        """The handle's operation."""
        return self._handle.op  # type: ignore[attr-defined]

    @property
    def device(self) -> str:
        return self._handle.device  # type: ignore[attr-defined,no-any-return]

    def get_shape(self) -> TensorShape:
        """The partial shape."""
        return self.shape  # type: ignore[no-any-return]

    def ref(self) -> Reference:
        """A hashable handle."""
        return Reference(self)

    def is_initialized(self, name: str | None = None) -> Any:
        """Whether it has a value."""
        return emit(OPS["VarIsInitializedOp"], (self._handle,), {}, name)

    def __inlay_symbolic__(self) -> SymbolicTensor | None:
        return self._handle if isinstance(self._handle, SymbolicTensor) else None

    def __inlay_gradient_source__(self) -> Tensor:
        graph = context.current().graph
        if graph is not None and self._graph is None and graph.building_function:
            return symbolic(self._handle, graph)
        return self._handle

    def __inlay_graph_element__(self) -> Any:
        return self._snapshot if self._graph is not None else self

    def __inlay_control__(self) -> Any:
        return None if self._graph is None else self._handle.op  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> Any:
        if self._graph is not None:
            return self is other
        return self._read() == other

    def __getitem__(self, key: Any) -> Any:
        return self._read()[key]

    def __iter__(self) -> Any:
        return iter(self._read())

    def __bool__(self) -> bool:
        return bool(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __float__(self) -> float:
        return float(self._read())

    def __index__(self) -> int:
        return self._read().__index__()  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        if self._graph is None and not executing_in_graph():
            return (
                f"<tf.Variable {self._name!r} shape={self.shape} dtype={self._dtype.name}, "
                f"numpy={EagerTensor(self._handle._value.read(), self._dtype)._printed()}>"
            )  # type: ignore
        return f"<tf.Variable {self._name!r} shape={self.shape} dtype={self._dtype.name}>"

    def __reduce__(self) -> Any:
        return _rebuilt, (self.numpy(), self._trainable, self._name.removesuffix(":0"))

    def __deepcopy__(self, memo: Any) -> Variable:
        if self._graph is not None:
            raise NotImplementedError("__deepcopy__() is only available when eager execution is enabled.")
        return _rebuilt(self.numpy(), self._trainable, self._name.removesuffix(":0"))


def executing_in_graph() -> bool:
    """Whether a graph is in force."""
    return context.current().graph is not None


def _rebuilt(value: Any, trainable: bool, name: str) -> Variable:
    return Variable(value, trainable=trainable, name=name)


class _nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def _install() -> None:
    """Gives Variable the operators of Tensor, on its value."""

    def delegate(name: str) -> Callable[..., Any]:
        def method(self: Variable, *args: Any) -> Any:
            return getattr(self._read(), name)(*args)

        return method

    for name in (
        "add",
        "radd",
        "sub",
        "rsub",
        "mul",
        "rmul",
        "truediv",
        "rtruediv",
        "floordiv",
        "rfloordiv",
        "mod",
        "rmod",
        "pow",
        "rpow",
        "matmul",
        "rmatmul",
        "lt",
        "le",
        "gt",
        "ge",
        "neg",
        "abs",
        "and",
        "or",
        "xor",
        "rand",
        "ror",
        "rxor",
        "invert",
    ):
        setattr(Variable, f"__{name}__", delegate(f"__{name}__"))
    Variable.__array_priority__ = 100  # type: ignore[attr-defined]


_install()


def global_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph."""
    return graphs.default_graph().get_collection("variables", scope)


def trainable_variables(scope: str | None = None) -> list[Variable]:
    """The trainable variables of the default graph."""
    return graphs.default_graph().get_collection("trainable_variables", scope)


def local_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the collection `local_variables`."""
    return graphs.default_graph().get_collection("local_variables", scope)


def variables_initializer(var_list: Any, name: str = "init") -> Any:
    """An operation that initialises the given variables."""
    return control.group(*(v.initializer for v in var_list), name=name)


def global_variables_initializer() -> Any:
    """An operation that initialises every variable of the default graph."""
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """An operation that initialises the local variables of the default graph."""
    return variables_initializer(local_variables())
