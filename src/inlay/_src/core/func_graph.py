"""FuncGraph: the graph of a traced function. A tensor used from outside becomes an input (a capture)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any

from inlay._src.base import errors
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.base.types.text import counted
from inlay._src.core import context, device
from inlay._src.core.graph import Graph, Operation, global_graph
from inlay._src.core.opdef import OPS, Effect, Role, strongest
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor


class FuncGraph(Graph):
    """A graph with inputs, captures and outputs.

    Attributes:
      name: the traced function's name.
      outer: the graph in force where it is traced, or None. Without it, it is the one in force where it is made.
      inputs: placeholders of the declared inputs.
      captured: (outer tensor, placeholder) of what it uses from outside, in order of first use.
      outputs: the tensors it returns.
      given: while it is being traced, what its inputs are in the call that traces it, as far as that is known.
      traced_value: gives the value of a tensor of this graph while it is being traced, or None; None if nobody can.
      structured_outputs, structured_input_signature: the tensors it returns and the specs of its arguments, nested as
        a traced function has them; None for other graphs.
      awaited: operations of enclosing graphs that must have run before a call of it.
      jit: whether its pure parts are compiled; None if nobody said. Taken over from the enclosing function.
      place: the device that it is called on, where its nodes do not say more; "" if no scope said. Taken over likewise.
      in_v1: whether it is a graph of 1.x: variable scopes and collections of variables in it are its own, and nothing
        runs that its results do not need.
      implements: the name of what it may be replaced by, or None.
      returned: the operations among its results.
    """

    _building_function = True
    in_v1: bool = False
    implements: str | None = None
    name: str
    outer: Graph | None

    def __init__(self, name: str, outer: Graph | None | EllipsisType = ...) -> None:
        super().__init__()
        outer = context.current().graph if isinstance(outer, EllipsisType) else outer
        self.name, self.outer = name, outer
        self.seed: int | None = outer.seed if outer is not None else None
        self.jit: bool | None = getattr(outer, "jit", None)
        self.place: str = device.resolved(context.current().device) or getattr(outer, "place", "")
        if outer is not None:  # a branch or a turn adds to the collections of the graph that it is written in
            self._collections: dict[Any, list[Any]] = outer._collections
        self.inputs: list[SymbolicTensor] = []
        self.captured: list[tuple[Any, SymbolicTensor]] = []
        self.outputs: list[SymbolicTensor] = []
        self.returned: list[Operation] = []
        self.awaited: dict[Operation, None] = {}
        self.given: Sequence[Any] = ()
        self.traced_value: Callable[[Any], EagerTensor | None] | None = getattr(outer, "traced_value", None)
        self.structured_outputs: Any = None
        self.structured_input_signature: Any = None
        self._captures: dict[int, SymbolicTensor] = {}
        self._outside: dict[int, Any] = {}

    def entered(self, state: context.State) -> None:
        """Comes into force again: `outer` stays the graph that it is traced in."""

    def add_input(
        self, dtype: DType, dims: Dims, name: str, given_name: str | None = None, key: Any = None
    ) -> SymbolicTensor:
        """A new declared input.

        Args:
          dtype, dims, name: of its placeholder.
          given_name: the user's name for it.
          key: the key behind a handle; see `handle_key`.
        """
        extra: dict[str, Any] = {} if given_name is None else {"_user_specified_name": given_name.encode()}
        if key is not None:
            extra["handle"] = self.resources.add(key, key.name)
        tensor = self._placeholder(dtype, dims, name, extra)
        self.inputs.append(tensor)
        return tensor

    def input_like(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """An input of which as much is known as of a tensor of another graph: its shape, and its value if that is."""
        placeholder = self._placeholder(tensor.dtype, tensor._dims, tensor.op.name.rsplit("/", 1)[-1], {})
        self._outside[id(placeholder)] = tensor
        return placeholder

    def _placeholder(self, dtype: DType, dims: Dims, name: str, extra: dict[str, Any]) -> SymbolicTensor:
        attrs = {"dtype": dtype, "shape": shapes.from_dims(dims), **extra}
        with context.using(context.State(graph=self)):
            return self.add(OPS["Placeholder"], (), attrs, (dtype,), (dims,), name).outputs[0]

    def capture_eager(self, tensor: EagerTensor, name: str) -> SymbolicTensor:
        """The input that stands for an eager tensor; small constants of the function's own are embedded instead."""
        return self._captured(tensor, name)

    def capture(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """The input that stands for a tensor of an enclosing graph; InaccessibleTensorError if it is of another."""
        if not self.is_inside(tensor.op.graph):
            raise errors.InaccessibleTensorError(
                f"{tensor!r}, defined at {tensor.op.site}, is out of scope and cannot be used here: it belongs to "
                f"another function or graph than '{self.name}', which is being traced. Pass it as an argument, or "
                "return it from where it was made. "
                "(inlay explain out-of-scope)"
            )
        return self._captured(tensor, tensor.op.name.rsplit("/", 1)[-1])

    def is_inside(self, graph: Graph) -> bool:
        """Whether `graph` encloses this one."""
        outer: Any = self.outer
        while outer is not None and outer is not graph:
            outer = getattr(outer, "outer", None)
        return outer is not None

    def as_operation(self, item: Any) -> Operation | None:
        """The operation behind a control input; one of an enclosing graph is awaited by the calls of this graph."""
        operation = super().as_operation(item)
        if operation is None or operation.graph is self:
            return operation
        if self.is_inside(operation.graph):
            self.awaited[operation] = None
        return None

    def _captured(self, tensor: Any, name: str) -> SymbolicTensor:
        placeholder = self._captures.get(id(tensor))
        if placeholder is None:
            key = handle_key(tensor) if tensor.dtype is dtypes.resource else None
            dims = () if tensor.dtype in (dtypes.resource, dtypes.variant) else tensor.shape._dims
            extra = {} if key is None else {"handle": self.resources.add(key, getattr(key, "name", None))}
            placeholder = self._placeholder(tensor.dtype, dims, name, extra)
            self._captures[id(tensor)], self._outside[id(placeholder)] = placeholder, tensor
            self.captured.append((tensor, placeholder))
            for tape in context.current().tapes:
                if tape.follows((tensor,)):
                    tape.watch(placeholder)
        return placeholder

    def capture_last(self, tensors: Sequence[Any]) -> None:
        """The last inputs stand for tensors from outside from now on, and are no inputs any more."""
        count = len(self.inputs) - len(tensors)
        for tensor, placeholder in zip(tensors, self.inputs[count:], strict=True):
            if tensor.dtype is not placeholder.dtype:
                raise ValueError(f"{self.name} takes {placeholder.dtype.name}, and is to capture {tensor.dtype.name}")
            key = handle_key(tensor) if tensor.dtype is dtypes.resource else None
            if key is not None:
                handle = self.resources.add(key, getattr(key, "name", None))
                placeholder.op.attrs = {**placeholder.op.attrs, "handle": handle}
            self._captures[id(tensor)], self._outside[id(placeholder)] = placeholder, tensor
            self.captured.append((tensor, placeholder))
        del self.inputs[count:]

    def captured_as(self, tensor: Any) -> SymbolicTensor | None:
        """The input that stands for a tensor from outside; None if it is not used so far."""
        return self._captures.get(id(tensor))

    def outside(self, tensor: SymbolicTensor) -> Any:
        """The tensor from outside that an input stands for; None if it stands for none."""
        return self._outside.get(id(tensor))

    def effectful(self) -> list[Operation]:
        """The nodes that must run whatever is fetched, in program order."""
        return [n for n in self.acting() if n.effect in (Effect.STATEFUL, Effect.WRITES)]

    @property
    def effect(self) -> Effect:
        """The strongest effect of its nodes."""
        return strongest(n.effect for n in self.acting())

    def acting(self) -> list[Operation]:
        """The nodes that do something when it runs; of a graph of 1.x those that its results need."""
        nodes = self._needed() if self.in_v1 else self.nodes
        return [n for n in nodes if n.opdef.role is not Role.NOTHING]

    def _needed(self) -> list[Operation]:
        """The nodes that its results need, in program order."""
        needed: dict[int, Operation] = {}
        stack = [*(t.op for t in self.outputs), *self.returned]
        while stack:
            node = stack.pop()
            if node.index not in needed:
                needed[node.index] = node
                stack += [*(t.op for t in node.inputs), *node.control_inputs]
        return [needed[index] for index in sorted(needed)]

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables from outside that are used here."""
        keys = (handle_key(outer) for outer, _ in self.captured if outer.dtype is dtypes.resource)
        owners = (key.owner() for key in keys if getattr(key, "owner", None) is not None)
        return tuple(v for v in owners if v is not None)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of the variables that tapes watch."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def captures(self) -> list[tuple[Any, SymbolicTensor]]:
        """(outer tensor, input) pairs."""
        return list(self.captured)

    @property
    def external_captures(self) -> list[Any]:
        """The tensors that it uses from outside."""
        return [outer for outer, _ in self.captured]

    @property
    def internal_captures(self) -> list[SymbolicTensor]:
        """The inputs that stand for what it uses from outside."""
        return [inner for _, inner in self.captured]

    @property
    def outer_graph(self) -> Graph:
        """The graph that it is traced in; the default one where that was eager execution."""
        return global_graph() if self.outer is None else self.outer

    @property
    def control_outputs(self) -> list[Operation]:
        """The nodes that run in every call, whatever of it is used."""
        return self.effectful()

    def __repr__(self) -> str:
        took = f"{counted(len(self.inputs), 'input')}, {len(self.captured)} captured"
        return f"<FuncGraph {self.name} at {id(self):#x}: {self._summary()}, {took}>"
