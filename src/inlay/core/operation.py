"""Operation: one node of a graph, as data. Only `Graph.add` makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from inlay.core.opdef import Effect, OpDef, Role
from inlay.core.site import Site
from inlay.core.tables import Reference
from inlay.core.tensor import SymbolicTensor
from inlay.export import export
from inlay.types import dtypes

if TYPE_CHECKING:
    from inlay.core.graph import Graph


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
      control_inputs: operations that run before it.
      device: canonical device string, or "".
      effect: what running it does.
      token: the name of a host call's function in the graph's table; None for other nodes.
      site: where the user's program made it.
      override: the name of the gradient that `gradient_override_map` gave it, or None.
      outputs: its output tensors.
    """

    __inlay_leaf__: ClassVar[bool] = True

    graph: Graph
    index: int
    name: str
    opdef: OpDef
    inputs: tuple[SymbolicTensor, ...]
    attrs: Mapping[str, Any]
    control_inputs: tuple[Operation, ...]
    device: str
    effect: Effect
    token: str | None
    site: Site
    override: str | None
    outputs: list[SymbolicTensor] = field(init=False)
    _pullback: SymbolicTensor | None = field(default=None, init=False)

    @property
    def type(self) -> str:
        return self.opdef.name

    @property
    def host(self) -> Any:
        """The `HostFunction` of a host call, else None."""
        return None if self.token is None else self.graph.host_functions[self.token]

    def get_attr(self, name: str) -> Any:
        """An attribute's value; ValueError if there is none of that name."""
        if name in self.attrs:
            return self.attrs[name]
        if name == "Tin" or name == "T" and self.inputs:
            return [t.dtype for t in self.inputs] if name == "Tin" else self.inputs[0].dtype
        if name == "Tout":
            return [t.dtype for t in self.outputs]
        if name == "token" and self.token is not None:
            return self.token.encode()
        raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")

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
        return self._pullback is not None

    def constant_value(self) -> Any:
        """The value of a `Const` node, else None."""
        if self.opdef.role is not Role.CONSTANT:
            return None
        value = self.attrs["value"]
        return self.graph.referred(value) if value.__class__ is Reference else value

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs this operation in `session` or the default session."""
        self.graph.session_for(session, "operation").run(self, feed_dict)

    @property
    def node_def(self) -> dict[str, Any]:
        """The node as plain data."""
        return {
            "name": self.name,
            "op": self.type,
            "input": [t.name for t in self.inputs] + [f"^{c.name}" for c in self.control_inputs],
            "device": self.device,
            "attr": dict(self.attrs),
        }

    @property
    def traceback(self) -> list[Site]:
        return [self.site]

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"

    def __str__(self) -> str:
        lines = [
            f'name: "{self.name}"',
            f'op: "{self.type}"',
            *(f'input: "{t.name}"' for t in self.inputs),
            *(f'input: "^{c.name}"' for c in self.control_inputs),
        ]
        return "\n".join(lines)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("cannot pickle 'Operation' object")
