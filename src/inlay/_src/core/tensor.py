"""Tensor handles: `EagerTensor` holds a value, `SymbolicTensor` names an output of a node.

Operators are attached by `ops.operators`, so nothing here knows an op.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import ownership
from inlay._src.base.misuse import explained
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.attributes import WithOperators, elementwise, read_only
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import Dims, TensorShape
from inlay._src.core import context, values
from inlay._src.core.pictured import RichValue

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from inlay._src.core.graph import Graph, Operation

Value: TypeAlias = "np.ndarray[Any, Any] | Any"
"""The value of a tensor outside of graphs: an array, a NumPy scalar for rank 0, `bytes` for a string.

`Any` stands for the latter two: a checker that saw all three could accept no use of any of them.
"""


class TensorReference:
    """A hashable handle of a tensor or variable (`tensor.ref()`)."""

    __slots__ = ("__weakref__", "_target")

    def __init__(self, target: Any) -> None:
        self._target = target

    def deref(self) -> Any:
        """The tensor or variable."""
        return self._target

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._target!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorReference) and other._target is self._target

    def __hash__(self) -> int:
        return id(self._target)

    def __lt__(self, other: object) -> bool:  # so that they may be keys in a nest, which are taken in order
        return id(self._target) < id(other._target) if isinstance(other, TensorReference) else NotImplemented


@export("Tensor")
class Tensor(RichValue, WithOperators["Tensor"]):
    """A value that exists now (eager) or when a graph runs (symbolic)."""

    # Users' attributes; (variable, key), set in what indexing a variable gives.
    __slots__ = ("__dict__", "_slice_of")
    __array_priority__ = 100
    OVERLOADABLE_OPERATORS: frozenset[str] = frozenset()  # the methods of operators; `ops.operators` attaches them
    _slice_of: tuple[Any, Any]

    if TYPE_CHECKING:
        # Each kind of tensor has its own, and says so where it has none.
        op: Operation

        @property
        def name(self) -> str: ...
        @property
        def graph(self) -> Graph: ...
        @property
        def device(self) -> str: ...
        def numpy(self) -> Value: ...
        def eval(self, feed_dict: Any = None, session: Any = None) -> Value: ...
        def set_shape(self, shape: Any) -> None: ...
        def __iter__(self) -> Iterator[Tensor]: ...
        def __len__(self) -> int: ...
        def __bool__(self) -> bool: ...
        def __int__(self) -> int: ...
        def __index__(self) -> int: ...
        def __float__(self) -> float: ...
        def __complex__(self) -> complex: ...
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]: ...

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        """The static shape; a dimension that is known only when the graph runs is None."""
        raise NotImplementedError

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def ref(self) -> TensorReference:
        """A hashable handle that compares by identity."""
        return TensorReference(self)

    @property
    def ndim(self) -> int | None:
        """The number of dimensions, or None if it is known only when the graph runs."""
        return self.shape.rank

    @property
    def assign(self) -> Callable[..., Any]:
        """Writes into the variable of which this is a slice; other tensors have no such attribute."""
        try:
            variable, key = self._slice_of
        except AttributeError:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'assign'") from None
        return functools.partial(variable._assign_slice, key)


@export("is_tensor")
def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a variable, or a ragged or sparse one; other values made of tensors are none."""
    return isinstance(x, WithOperators) or hasattr(x, "__inlay_is_tensor__")


NOT_LENT = (
    "a tensor lends nobody its memory through DLPack, as its reader could write into it: leave out copy=False, or take "
    "a read-only view with np.asarray(tensor, copy=False) (inlay explain lent-memory)"
)


class EagerTensor(Tensor):
    """A tensor with its value. Immutable: nobody writes into `_value`.

    Other libraries get memory of their own, because some write into what they were lent: PyTorch ignores that memory
    is read-only. NumPy and readers of buffers get views where the reader, or the function whose body runs, says
    `copy=False`.

    Attributes:
      _value: an ndarray or NumPy scalar; object arrays of bytes for strings.
      _place: the logical device of the CPU that it was placed on; unset for the first one.
    """

    __slots__ = ("__weakref__", "_dtype", "_place", "_value")
    _place: str

    def __init__(self, value: Any, dtype: DType) -> None:
        self._value, self._dtype = value, dtype

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return shapes.from_dims(self._value.shape)

    @property
    def ndim(self) -> int:
        return self._value.ndim

    @property
    def device(self) -> str:
        try:
            return "/job:localhost/replica:0/task:0" + self._place
        except AttributeError:
            return "/job:localhost/replica:0/task:0/device:CPU:0"

    cpu: Callable[..., EagerTensor]  # `devices.kernels` attaches them: what a device is, is known there
    gpu: Callable[..., EagerTensor]

    def numpy(self) -> Value:
        """The value: a NumPy scalar (or `bytes`) for rank 0, else an array of the caller's own."""
        value = self._value
        self._note_reader()
        if not self._dtype.is_numpy_compatible:
            raise errors.InvalidArgumentError(
                None, None, f"Cannot convert a Tensor of dtype {self._dtype.name} to a NumPy array."
            )
        if value.__class__ is not np.ndarray:
            return value if isinstance(value, np.generic) else np.asarray(value)[()]
        return value.copy() if value.ndim else value[()]

    def _numpy(self) -> Value:
        """`numpy`, by the name that libraries call it by."""
        return self.numpy()

    def _note_reader(self) -> None:
        """Tells the tapes that follow this tensor that the body of a host function reads its value."""
        state = context.current()
        if state.host is not None and self._dtype.is_trainable:
            for tape in state.tapes:
                if id(self) in tape.watched:
                    tape.left = state.host

    def _view(self) -> np.ndarray:
        """The value as a read-only array that shares memory."""
        return ownership.read_only(np.asarray(self._value))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if not self._dtype.is_numpy_compatible:
            self.numpy()
        self._note_reader()
        if dtype is not None and np.dtype(dtype) != self._dtype.np:
            return np.asarray(self._value).astype(dtype)
        if copy is False or (copy is None and context.current().lends):
            return self._view()
        return np.array(self._value)

    def __buffer__(self, flags: int) -> memoryview:
        """Memory with the value, the reader's own: `memoryview(tensor)`, from Python 3.12 on.

        Raises:
          BufferError: if it has none: strings, handles, types that NumPy does not know.
        """
        plain = self._dtype._kind not in "rv" and self._dtype.is_numpy_compatible and self._dtype is not dtypes.string
        try:
            if plain:
                return self.__array__().__buffer__(flags)  # type: ignore[attr-defined,no-any-return]
        except ValueError:  # a type of ml_dtypes, which the protocol has no letter for
            pass
        raise BufferError(f"Cannot convert a tensor of {self._dtype.name} to memory that others read")

    @explained
    def set_shape(self, shape: Any) -> None:
        """Checks the value's shape against `shape`; an eager tensor's own shape is always known."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape {shapes.as_shape(shape)}."
            )

    def _graph_only(self, name: str) -> Any:
        raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")

    name: str = read_only(lambda self: self._graph_only("name"), "What a graph knows it by.")
    op: Operation = read_only(lambda self: self._graph_only("op"), "What makes it.")
    graph: Graph = read_only(lambda self: self._graph_only("graph"), "Where it is made.")

    def consumers(self) -> list[Operation]:
        raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
        )

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> int:
        return int(self._value)

    def __float__(self) -> float:
        self._note_reader()
        return float(self._value)

    def __complex__(self) -> complex:
        self._note_reader()
        return complex(self._value)

    def __index__(self) -> int:
        if self._dtype is dtypes.bool_:
            return int(self._value)  # as Python's own; NumPy 2 refuses it, and features of examples are made of it
        if not self._dtype.is_integer:
            raise TypeError(f"only integer scalar tensors can be converted to an index, got {self._dtype!r}")
        return int(self._value.__index__() if self._value.ndim == 0 else np.asarray(self._value).__index__())

    def __len__(self) -> int:
        if not self._value.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._value)

    def __iter__(self) -> Iterator[EagerTensor]:
        if not self.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(len(self)))  # type: ignore[misc]

    def __hash__(self) -> int:
        if not elementwise():
            return id(self)
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key. (inlay explain unhashable)")

    def __format__(self, spec: str) -> str:
        return format(self.numpy() if self._dtype.is_numpy_compatible else self._printed(), spec)

    def _printed(self, form: Callable[[Any], str] = repr) -> str:
        if not self._dtype.is_numpy_compatible:
            return self._value.printed() if hasattr(self._value, "printed") else f"<{self._dtype.name}>"  # type: ignore[no-any-return]
        text = form(self._view()) if self.ndim else str(np.asarray(self._value)[()])
        return f"\n{text}" if "\n" in text else text

    def __repr__(self) -> str:
        label = "numpy" if self._dtype.is_numpy_compatible else "value"
        return f"<tf.Tensor: shape={self.shape}, dtype={self._dtype.name}, {label}={self._printed()}>"

    def __str__(self) -> str:
        return f"tf.Tensor({self._printed(str)}, shape={self.shape}, dtype={self._dtype.name})"

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: Any) -> EagerTensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        owner = getattr(self._value, "owner", None)
        variable = None if owner is None else owner()
        if variable is not None:  # the handle of a variable travels as that does
            return operator.attrgetter("handle"), (variable,)
        if not self._dtype.is_numpy_compatible and "__reduce__" not in vars(type(self._value)):
            self.numpy()  # says so
        return EagerTensor, (self._value, self._dtype)

    def __dlpack__(self, **kwargs: Any) -> Any:
        # The protocol can say "read-only", but who reads does not say whether it knows that.
        if kwargs.get("copy") is False:
            raise BufferError(NOT_LENT)
        self._note_reader()
        return np.array(self._value).__dlpack__(**{**kwargs, "copy": None} if "copy" in kwargs else kwargs)

    def __dlpack_device__(self) -> Any:
        return np.asarray(self._value).__dlpack_device__()


class SymbolicTensor(Tensor):
    """One output of a node: a value that exists when the graph runs.

    Attributes:
      op: the `Operation` that makes it.
      value_index: the number of the output.
    """

    __slots__ = ("__weakref__", "_asserted", "_dims", "_dtype", "op", "value_index")

    op: Operation
    value_index: int

    def __init__(self, op: Operation, value_index: int, dtype: DType, dims: Dims) -> None:
        self.op, self.value_index, self._dtype, self._dims = op, value_index, dtype, dims
        self._asserted: Dims = None

    @property
    def graph(self) -> Graph:
        return self.op.graph

    @property
    def name(self) -> str:
        return f"{self.op.name}:{self.value_index}"

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return shapes.from_dims(self._dims)

    @property
    def device(self) -> str:
        return self.op.device

    @explained
    def set_shape(self, shape: Any) -> None:
        """Adds to what is known of the shape. A value that breaks the promise is refused when it arrives.

        Args:
          shape: anything `TensorShape` accepts.

        Raises:
          ValueError: if it contradicts what is known.
        """
        dims = shapes.as_shape(shape)._dims
        merged = shapes.merge(self._dims, dims)
        if merged != self._dims:
            self._dims = merged
            self._asserted = shapes.merge(self._asserted, dims)
            self.op.graph.note_change()

    def consumers(self) -> list[Operation]:
        """The nodes that take this tensor."""
        return [node for node in self.op.graph.nodes if any(t is self for t in node.inputs)]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value, from `session` or the default session."""
        return self.op.graph.session_for(session, "tensor").run(self, feed_dict)

    def __bool__(self) -> bool:
        raise errors.OperatorNotAllowedInGraphError(
            f"Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: {self!r} has no value while the graph is "
            "built. Use tf.cond, or tf.function with AutoGraph. "
            "(inlay explain symbolic-bool)"
        )

    def __iter__(self) -> Iterator[Any]:
        raise errors.OperatorNotAllowedInGraphError(
            f"Iterating over a symbolic `tf.Tensor` is not allowed: {self!r} has no value while the graph is built. If "
            "it is one input of a function, write [x] for the list of inputs; to split it use tf.unstack. "
            "(inlay explain symbolic-iteration)"
        )

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather "
            "than `len(x)` for shape information."
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that you're "
            "trying to pass a Tensor to a NumPy call, which is not supported: wrap the NumPy code in "
            "tf.numpy_function. (inlay explain symbolic-value)"
        )

    def __float__(self) -> float:
        raise self._has_no_value("float()")

    def __int__(self) -> int:
        value = self.op.static_value(self.value_index)
        if value is None:
            raise self._has_no_value("int()")
        return int(value)

    def __index__(self) -> int:
        raise self._has_no_value("__index__")

    def _has_no_value(self, wanting: str) -> TypeError:
        return TypeError(
            f"a symbolic tensor ({self.name}) has no value: {wanting} needs one (inlay explain symbolic-value)"
        )

    __hash__: Callable[[], int] = object.__hash__  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self._dims is None else f", shape={self.shape}"
        device = f", device={self.op.device}" if self.op.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name}{device})'

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("cannot pickle 'SymbolicTensor' object")


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether `tensor` is one of a graph, without a value; eager tensors, variables and what is none are not."""
    return isinstance(tensor, SymbolicTensor)


def constant_eager(value: Any, dtype: DType | None = None) -> EagerTensor:
    """An eager tensor of its own memory from a Python or NumPy value."""
    if value.__class__ is list:  # what is made of one is new
        array = values.to_value(value, dtype)
        return EagerTensor(array, dtype or dtype_of(array))
    box = [values.to_value(value, dtype)]
    array = ownership.own(box)
    return EagerTensor(array, dtype or dtypes.QUANTIZED.get(getattr(value, "dtype", None)) or dtype_of(array))


def dtype_of(value: Any) -> DType:
    """The DType of a runtime value."""
    return dtypes.FROM_NUMPY[value.dtype]


if TYPE_CHECKING:  # for the stubs: `numpy.typing` takes time to load

    class SupportsTensor(Protocol):
        """A value that converts itself to a tensor: variables, and objects of other libraries."""

        def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any: ...

    TensorLike: TypeAlias = Tensor | Composite | SupportsTensor | ArrayLike | Sequence[Any]
    """The arguments that `convert_to_tensor` accepts."""
