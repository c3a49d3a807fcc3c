"""Passes: merge equal pure nodes, fold constant ones. They replace tensors; they never touch the graph.

`Effect.PURE` is the license for both. Reads of a variable are merged too, where no write can come between. `counts` has
the nodes that each pass removed. A node that reads only a known shape is constant, and a product with ones, as in
gradients of sums, is its other factor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inlay._src.base.interpreter import floating
from inlay._src.base.tuning import TUNING
from inlay._src.base.types.keys import key_of
from inlay._src.base.types.shapes import Dims
from inlay._src.core.graph import Operation
from inlay._src.core.opdef import Effect, Role
from inlay._src.core.tensor import SymbolicTensor

# Python looks a member of an enumeration up for as long as a small call takes.
_PURE, _CONSTANT = Effect.PURE, Role.CONSTANT
_READ = Role.READ
_LEFT_ALONE = (Role.PLACEHOLDER, Role.NOTHING, Role.VARIABLE)


@dataclass(frozen=True, slots=True)
class Passes:
    """The passes that run; folded results of kernels have at most so many elements."""

    merge: bool = True
    fold: bool = True
    fold_limit: int = field(default_factory=lambda: TUNING.fold_elements)


class Rewriting:
    """The replacements that the passes found for one plan."""

    def __init__(
        self,
        passes: Passes,
        feeds: Sequence[SymbolicTensor],
        folded: dict[Any, Any],
        bind: Callable[[Operation], Callable[..., Any]],
    ) -> None:
        self.passes, self.cache, self.bind = passes, folded, bind
        self.fed, self._fed_nodes = {id(t) for t in feeds}, {id(t.op) for t in feeds}
        self.same: dict[int, SymbolicTensor] = {}
        self.same_node: dict[int, Operation] = {}
        self.constants: dict[int, Any] = {}
        self.folded_nodes: set[int] = set()
        self.removed: list[tuple[str, str, str]] = []  # as in `Plan`
        self.counts: dict[str, int] = {name: 0 for name in ("merge", "fold") if getattr(passes, name)}
        self._keys: dict[Any, Operation] = {}
        self._keyed: set[Operation] = set()  # those that have been asked for their key
        self._values: dict[int, Any] = {}  # the keys of attributes by identity; their nodes keep them alive
        self._retained: list[Any] = []  # keeps identities in keys alive
        self.checking: list[Operation] = []
        self._shapes_of: list[SymbolicTensor] = []  # what folded nodes took nothing but the shape of

    @property
    def changed(self) -> bool:
        return bool(self.same or self.constants)

    def resolve(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """The tensor that stands for `tensor`."""
        return self.same.get(id(tensor), tensor)

    def resolve_node(self, node: Operation) -> Operation:
        return self.same_node.get(id(node), node)

    def merge(self, nodes: Sequence[Operation]) -> None:
        """Merges nodes, given in creation order; no user code runs in it."""
        if nodes and nodes[0].graph.building_function:
            self._merge_reads(nodes)
        alike: dict[Any, Operation] = {}  # by op and inputs: most nodes share them with no other
        same = self.same
        for node in self._free(nodes):
            if node.opdef.role is _CONSTANT and _is_its_value(node):
                light: Any = id(node.attrs["value"]), node.device
                first = alike.setdefault(light, node)
                if first is node:
                    self._merge(node)
                else:
                    self._replace(node, self.same_node.get(id(first), first))
                continue
            light = (node.opdef, *[id(same.get(id(t), t)) for t in node.inputs])
            first = alike.setdefault(light, node)
            if first is not node:
                if first not in self._keyed:
                    self._merge(first)
                self._merge(node)

    def _merge_reads(self, nodes: Sequence[Operation]) -> None:
        """Merges reads of one variable that no write can come between, in a graph that runs in creation order.

        A node that takes the handle may write. So may a node that calls functions of users, whatever it takes: their
        bodies reach variables by themselves.
        """
        reads: dict[int, dict[Any, Operation]] = {}  # by handle
        for node in nodes:
            opdef, host, value = node.opdef, node.host is not None, node._made
            if opdef.role is _READ and not host:
                if value.__class__ is SymbolicTensor and node._pullback is None and id(node) not in self._fed_nodes:
                    key = node.attrs["dtype"], node.device, value._asserted  # type: ignore[union-attr]
                    first = reads.setdefault(id(node.inputs[0]), {}).setdefault(key, node)
                    if first is not node:
                        self._replace(node, first)
            elif host or opdef.scheduling.calls_users:
                if host or node.effect is not _PURE:
                    reads.clear()
            elif node.effect is not _PURE and reads:
                for handle in node.inputs:
                    reads.pop(id(handle), None)

    def fold(self, nodes: Sequence[Operation]) -> None:
        """Folds nodes, given in creation order."""
        same, constants = self.same, self.constants
        products = False
        for node in self._free(nodes):
            opdef = node.opdef
            if opdef.role is _CONSTANT or id(node) in self.same_node:
                continue
            if opdef.lowering.ufunc is np.multiply:
                if self._multiply(node):
                    products = True
                    continue
            elif node.inputs and not opdef.lowering.shape_only:  # most nodes take something that is not known
                first = node.inputs[0]
                if first.op.opdef.role is not _CONSTANT and id(same.get(id(first), first)) not in constants:
                    continue
            self._fold(node)
        self._find_checking()
        if products:  # one may stand for others that were merged with it
            _follow(self.same)
            _follow(self.same_node)

    def _free(self, nodes: Sequence[Operation]) -> Iterator[Operation]:
        """The nodes that may be merged and folded."""
        fed = self._fed_nodes
        for node in nodes:
            if node.effect is not _PURE or node.opdef.role in _LEFT_ALONE or node._pullback is not None:
                continue
            if id(node) not in fed:
                yield node

    def _merge(self, node: Operation) -> None:
        """Merges a node with the first one that has its key, if there is one."""
        self._keyed.add(node)
        key = self._key(node)
        if key is None:
            return
        first = self._keys.setdefault(key, node)
        if first is not node:
            self._replace(node, first)

    def _replace(self, node: Operation, first: Operation) -> None:
        output = first._made
        if output.__class__ is SymbolicTensor:
            self.same[id(node._made)] = output  # type: ignore[assignment]
        else:
            for ours, theirs in zip(node.outputs, first.outputs, strict=True):
                self.same[id(ours)] = theirs
        self.same_node[id(node)] = first
        self.removed.append((node.name, "merge", first.name))
        self.counts["merge"] += 1

    def _key(self, node: Operation) -> Any:
        attrs = tuple(sorted([(k, self._key_of(v)) for k, v in node.attrs.items()])) if node.attrs else ()
        promises = tuple([t._asserted for t in node.outputs])
        same = self.same
        key = (
            node.opdef.name,
            node.host.merge_key() if node.host is not None else None,
            attrs,
            node.device,
            promises,
            tuple([id(same.get(id(t), t)) for t in node.inputs]),
            tuple([id(self.resolve_node(c)) for c in node._controls]) if node._controls else (),
        )
        try:
            hash(key)
        except TypeError:
            return None
        return key

    def _key_of(self, value: Any) -> Any:
        """The key of an attribute; nodes often have the very same object."""
        entry = self._values.get(id(value))
        if entry is None:
            entry = self._values[id(value)] = key_of(value, self._identity)
        return entry

    def _identity(self, value: Any) -> int:
        """The key of an attribute that has none of its own; it is kept, so that no other takes its identity."""
        self._retained.append(value)
        return id(value)

    def _fold(self, node: Operation) -> None:
        if node._controls or (node.opdef.scheduling.bind is not None and node.host is None):
            return
        inputs: list[Any] = []
        shaped: list[SymbolicTensor] = []
        for i, tensor in enumerate(node.inputs):
            value = self._constant(tensor)
            if value is None and node.opdef.takes_shape_of(i) and _is_known(tensor._dims):
                shaped.append(tensor)
                value = np.broadcast_to(np.empty((), tensor.dtype.np), tensor._dims)  # type: ignore[arg-type]
            if value is None:
                return
            inputs.append(value)
        if node.host is None and not _small(node, self.passes.fold_limit):
            return
        key = (node.index, node.graph.version)
        if key not in self.cache:
            before = None if node.host else floating.silence(floating.SILENT)
            try:
                result = self.bind(node)(*inputs)
            except Exception:
                if node.host is not None:
                    raise
                return  # it fails when it runs, with its own message
            finally:
                if before is not None:
                    floating.restore(before)
            self.cache[key] = tuple(result) if node.opdef.many else (result,)
        for tensor, value in zip(node.outputs, self.cache[key], strict=True):
            if tensor._asserted is not None and node.host is None:
                return
            self.constants[id(tensor)] = value
        self.folded_nodes.add(node.index)
        self._shapes_of += shaped
        self.removed.append((node.name, "fold", ""))
        self.counts["fold"] += 1

    def _find_checking(self) -> None:
        """Finds the nodes that make sure that a shape is what it is said to be: they run though only that is asked for.

        A node that cannot fail for inputs of the known shapes does not run; its inputs are asked instead.
        """
        seen: set[int] = set()
        while self._shapes_of:
            tensor = self._shapes_of.pop()
            if id(tensor) in self.fed or id(tensor) in self.constants:
                continue
            node = self.resolve(tensor).op
            opdef = node.opdef
            if node.index in seen or opdef.role in (Role.CONSTANT, Role.PLACEHOLDER):
                continue
            seen.add(node.index)
            fails = opdef.effect is not _PURE or opdef.scheduling.bind is not None or opdef.lowering.refuses is not None
            promised = node.host is not None or any([t._asserted is not None for t in node.outputs])
            if fails or promised or not all([_is_known(t._dims) for t in node.inputs]):
                self.checking.append(node)
            else:
                self._shapes_of += node.inputs

    def _multiply(self, node: Operation) -> bool:
        """Takes the other factor for a product with constant ones, where that has its shape."""
        product = node.outputs[0]
        if (
            node.control_inputs or product._asserted is not None or product.dtype._kind == "c"
        ):  # 1 * (inf + 0j) has a nan
            return False
        for ones, other in (node.inputs, node.inputs[::-1]):
            value = self._constant(ones)
            if value is None or id(other) in self.fed or np.size(value) == 0 or np.ravel(value)[0] != 1:
                continue
            same_shape = np.ndim(value) == 0 or (_is_known(product._dims) and product._dims == other._dims)
            if same_shape and id(self.resolve(other)) not in self.constants and (value == 1).all():
                self.same[id(product)] = self.resolve(other)
                factor = self.same_node[id(node)] = self.resolve_node(self.resolve(other).op)
                self.removed.append((node.name, "fold", factor.name))
                self.counts["fold"] += 1
                return True
        return False

    def _constant(self, tensor: SymbolicTensor) -> Any:
        if id(tensor) in self.fed:
            return None
        tensor = self.resolve(tensor)
        constant = self.constants.get(id(tensor))
        if constant is None and tensor.op.opdef.role is _CONSTANT and id(tensor) not in self.fed:
            if tensor.dtype._kind in "rv" or tensor.op._controls:  # folding would lose what must run before it
                return None
            return tensor.op.attrs["value"]
        return constant


def _follow(replacements: dict[int, Any]) -> None:
    """Makes each replacement the last one of its chain."""
    for key, value in replacements.items():
        while id(value) in replacements:
            value = replacements[id(value)]
        replacements[key] = value


def _is_known(dims: Dims) -> bool:
    return dims is not None and None not in dims


def _is_its_value(node: Operation) -> bool:
    """Whether a constant is known by the object in its attribute `value`, which many nodes may share."""
    return len(node.attrs) == 2 and not node._controls and node._made._asserted is None  # type: ignore[union-attr]


def _small(node: Operation, limit: int) -> bool:
    for t in node.outputs:
        size = t.shape.num_elements()
        if size is None or size > limit:
            return False
    return True
