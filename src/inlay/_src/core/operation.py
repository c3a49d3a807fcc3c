"""Operation: one node of a graph, as data. Only `Graph.add` makes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from inlay._src.base.export import Declared, export
from inlay._src.base.types import dtypes
from inlay._src.base.types.attributes import ProtoMessage
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.opdef import Effect, OpDef, Role
from inlay._src.core.signature import attr_value
from inlay._src.core.site import Site
from inlay._src.core.tables import Reference
from inlay._src.core.tensor import SymbolicTensor, Value

if TYPE_CHECKING:
    from inlay._src.core.graph import Graph


# Python looks a member of an enumeration up for as long as a small call takes.
_CONSTANT = Role.CONSTANT
MOST_STATIC, DEEPEST = 1024, 64
"""Limits of constant evaluation while a graph is built: elements of a value, and the depth of nodes."""


WRITTEN: dict[str, Callable[..., Any]] = Declared("written")
"""For "Operation" and "Graph", what writes one as a message: `graph_def` knows how values are written."""


CREATED: dict[str, Callable[..., Operation]] = Declared("created")
"""For "Graph", what adds a node by the name of its op: `graph_def` knows how ops are declared."""


def _is_known(dims: Dims) -> bool:
    return dims is not None and None not in dims


def _is_small(tensor: SymbolicTensor) -> bool:
    """Whether a tensor's value is numbers, few of them."""
    small = _is_known(tensor._dims) and math.prod(tensor._dims) <= MOST_STATIC  # type: ignore[arg-type]
    return small and (tensor.dtype.is_numeric or tensor.dtype.is_bool)


class ArgDef(NamedTuple):
    """One input or output. Its type is fixed (`type`, a number of `DType.as_datatype_enum`) or that of an attribute."""

    name: str
    type: int = 0
    type_attr: str = ""
    number_attr: str = ""
    type_list_attr: str = ""


class AttrDef(NamedTuple):
    """One attribute: its name and the kind of its values ("type", "bool", "int", "float", "string", "shape")."""

    name: str
    type: str


class OpRecord(NamedTuple):
    """An op: see `ArgDef` and `AttrDef`."""

    name: str
    input_arg: list[ArgDef]
    output_arg: list[ArgDef]
    attr: list[AttrDef]
    is_stateful: bool
    summary: str = ""


@export("Operation")
@dataclass(eq=False, slots=True, weakref_slot=True, repr=False)
class Operation:
    """One application of an op in a graph.

    Attributes:
      graph: its graph.
      index: its number in creation order.
      name: unique in the graph.
      opdef: its declaration.
      inputs: its input tensors.
      attrs: its attributes.
      device: canonical device string, or "".
      effect: the effect of running it.
      token: the name of a host call's function in the graph's table; None for other nodes.
      site: where the user's program made it.
      override: the name of the gradient that `gradient_override_map` gave it, or None.
    """

    __inlay_leaf__: ClassVar[bool] = True

    graph: Graph
    index: int
    name: str
    opdef: OpDef
    inputs: tuple[SymbolicTensor, ...]
    attrs: Mapping[str, Any]
    _controls: tuple[Operation, ...]
    device: str
    effect: Effect
    token: str | None
    site: Site
    override: str | None
    # Its only output, or all: most nodes have one, and a list around it would be an object more to be collected.
    _made: SymbolicTensor | tuple[SymbolicTensor, ...] = field(init=False)
    _pullback: SymbolicTensor | None = field(default=None, init=False)
    _static: Sequence[Any] | None = field(default=None, init=False)
    _groups: tuple[bytes, ...] = field(default=(), init=False)

    @property
    def type(self) -> str:
        """The type of the operation, for instance "MatMul"."""
        return self.opdef.name

    @property
    def outputs(self) -> list[SymbolicTensor]:
        """Its output tensors."""
        output = self._made
        return [output] if output.__class__ is SymbolicTensor else list(output)  # type: ignore[arg-type, list-item]

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that run before it."""
        return list(self._controls)

    @property
    def host(self) -> Any:
        """The `HostFunction` of a host call, else None."""
        return None if self.token is None else self.graph.host_functions[self.token]

    def get_attr(self, name: str) -> Any:
        """An attribute's value, strings as bytes; ValueError if there is none of that name."""
        if name in self.attrs:
            return attr_value(self.attrs[name])
        if name == "Tin" or name == "T" and self.inputs:
            return [t.dtype for t in self.inputs] if name == "Tin" else self.inputs[0].dtype
        if name == "Tout":
            return [t.dtype for t in self.outputs]
        if name == "token" and self.token is not None:
            return self.token.encode()
        if name == "_class" and self._groups:
            return list(self._groups)
        if name == "_gradient_op_type" and self.override is not None:
            return self.override.encode()
        raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")

    def colocate(self, others: Sequence[Operation]) -> None:
        """Joins the colocation groups of other operations, and takes the first device among theirs."""
        self._groups = tuple(sorted({group for other in others for group in other.colocation_groups()}))
        self.device = next((other.device for other in others if other.device), self.device)

    def colocation_groups(self) -> list[bytes]:
        """The groups of operations that should be on one device: "loc:@" and a name; its own if it joined none."""
        return list(self._groups) or [f"loc:@{self.name}".encode()]

    def pullback(self) -> SymbolicTensor:
        """The hidden output that carries this node's pullback; made when the first gradient asks for it.

        A plan makes the value only if a step consumes it.
        """
        if self._pullback is None:
            self._pullback = SymbolicTensor(self, len(self.outputs), dtypes.variant, ())
            self.graph.note_change()
        return self._pullback

    @property
    def has_pullback(self) -> bool:
        """Whether a gradient has asked for the hidden output of the pullback."""
        return self._pullback is not None

    def constant_value(self) -> Value | None:
        """The value of a `Const` node, else None."""
        if self.opdef.role is not _CONSTANT:
            return None
        value = self.attrs["value"]
        return self.graph.referred(value) if value.__class__ is Reference else value

    def static_value(self, index: int = 0, depth: int = 0) -> Value | None:
        """The value of an output if everything it comes from is known while the graph is built, else None.

        Shapes are inferred from it: sizes are computed from shapes, with arithmetic that no plan has run yet.
        """
        if self.opdef.role is _CONSTANT:
            value: Any = self.constant_value()
            return value if np.size(value) <= MOST_STATIC else None
        if self._static is None and depth < DEEPEST:
            self._static = self._computed(depth + 1)
        return None if self._static is None else self._static[index]

    def _computed(self, depth: int) -> Sequence[Any] | None:
        """The values of the outputs, or None: see `static_value`."""
        opdef = self.opdef
        if opdef.role is Role.PLACEHOLDER:
            outer = self.graph.outside(self.outputs[0])
            if isinstance(outer, SymbolicTensor):
                value = outer.op.static_value(outer.value_index, depth)
            else:
                value = outer._value if outer is not None and outer.dtype.is_numeric else None
            return None if value is None or np.size(value) > MOST_STATIC else [value]
        if opdef.role is Role.DEFAULT:  # a run may feed something else
            return None
        if (
            opdef.effect is not Effect.PURE
            or opdef.scheduling.bind is not None
            or not all(map(_is_small, self.outputs))
        ):
            return None
        inputs: list[Any] = []
        for i, t in enumerate(self.inputs):
            if opdef.takes_shape_of(i) and _is_known(t._dims):
                inputs.append(np.broadcast_to(np.empty((), t.dtype.np), t._dims))  # type: ignore[arg-type]
                continue
            value = t.op.static_value(t.value_index, depth)
            if value is None:
                return self._known_sizes()
            inputs.append(value)
        try:
            result = opdef.call(opdef.grouped(inputs, self.attrs), opdef.own(self.attrs))
        except Exception:  # the run says why
            return None
        return result if opdef.many else [result]  # type: ignore[no-any-return]

    def _known_sizes(self) -> Sequence[Any] | None:
        """The value of a number or vector of sizes that are known, though not all is that they come from."""
        if self.opdef.infer.sizes is None or not self.outputs or len(self.outputs[0]._dims or ()) > 1:
            return None
        dims = self.outputs[0]._dims or ()
        sizes = self.opdef.infer.sizes(self, (dims[0] or 0) if dims else len(self.outputs))
        if self.opdef.many and not dims and sizes is not None:
            return [None if n is None else self.outputs[0].dtype.np.type(n) for n in sizes]
        return [np.array(sizes, self.outputs[0].dtype.np).reshape(dims)] if _is_known(sizes) else None  # type: ignore[arg-type]

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs this operation in `session` or the default session."""
        self.graph.session_for(session, "operation").run(self, feed_dict)

    @property
    def node_def(self) -> ProtoMessage:
        """The node as a message: a `tf.compat.v1.NodeDef`."""
        return WRITTEN["Operation"](self)

    @property
    def op_def(self) -> OpRecord:
        """The inputs, outputs and attributes of the op, in the fields of TensorFlow's OpDef."""
        return op_record(self.opdef)

    @property
    def traceback(self) -> list[Site]:
        """The line of the user's program that created the operation, in a list."""
        return [self.site]

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"

    def __str__(self) -> str:
        lines = [
            f'name: "{self.name}"',
            f'op: "{self.type}"',
            *(f'input: "{t.name}"' for t in self.inputs),
            *(f'input: "^{c.name}"' for c in self._controls),
        ]
        return "\n".join(lines)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        raise TypeError(f"can't convert Operation '{self.name}' to Tensor")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("cannot pickle 'Operation' object")


def op_record(op: OpDef) -> OpRecord:
    """The record of an op."""
    names = ["output"] if len(op.outs) == 1 else [f"output_{i}" for i in range(len(op.outs))]
    attrs = [AttrDef(letter, "type") for letter in op.letters]
    attrs += [AttrDef("N", "int")] if op.variadic is not None else []
    return OpRecord(
        op.name,
        [_arg(a.name, a.type, a.variadic) for a in op.args],
        [_arg(name, kind, op.variadic_out) for name, kind in zip(names, op.outs, strict=True)],
        attrs + [AttrDef(name, _kind(attribute.default)) for name, attribute in op.attrs.items()],
        op.effect is not Effect.PURE,
    )


def _arg(name: str, kind: Any, variadic: bool) -> ArgDef:
    number = "N" if variadic else ""
    if isinstance(kind, DType):
        return ArgDef(name, kind.as_datatype_enum, number_attr=number)
    return ArgDef(name, type_list_attr="T" if variadic else "") if kind is None else ArgDef(name, 0, kind, number)


_KINDS: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "string", DType: "type"}


def _kind(default: Any) -> str:
    return _KINDS.get(default.__class__, "shape" if isinstance(default, (tuple, list)) else "string")
