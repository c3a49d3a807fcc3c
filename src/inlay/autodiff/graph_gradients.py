"""`tf.gradients`: reverse accumulation over a graph, as new nodes."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from inlay.autodiff.accumulation import IMPLICIT_ZERO, accumulate, add_up, noting_barriers
from inlay.autodiff.jacobian import jacobian
from inlay.core import context
from inlay.core.graph import Graph, Operation
from inlay.core.tables import references
from inlay.core.tensor import SymbolicTensor
from inlay.eager.convert import convert_to_tensor
from inlay.export import export
from inlay.ops.array import ones_like, zeros_like
from inlay.types import dtypes


@export("UnconnectedGradients")
class UnconnectedGradients(enum.Enum):
    """What a source gets that no gradient reaches: None, zeros, or (not in TensorFlow) an error."""

    NONE = "none"
    ZERO = "zero"
    ERROR = "error"


def as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


@export("gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Symbolic derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
      ys: a symbolic tensor or a list of them.
      xs: a symbolic tensor or variable, or a list of them.
      grad_ys: cotangents of `ys`, shaped like them; ones where None.
      name: the scope of the new nodes.
      gate_gradients, aggregation_method: accepted and ignored.
      stop_gradients: tensors not to differentiate through.
      unconnected_gradients: "none", "zero" or "error" (names the op that let no gradient pass).

    Returns:
      One tensor or None per `x`.

    Raises:
      LookupError: if an op on the way has no gradient.
      TypeError: if a `y` is not of a floating or complex type.
    """
    targets = [_symbolic(y) for y in as_list(ys)]
    sources = [_symbolic(x) for x in as_list(xs)]
    policy = UnconnectedGradients(unconnected_gradients)
    if not targets:
        return [None] * len(sources)
    graph = targets[0].graph
    state = context.current()
    inside = state if state.graph is graph else context.State(graph=graph)
    with context.using(inside), graph.name_scope(name):
        seeds = _seeds(targets, grad_ys)
        barriers: list[Operation] = []
        stops = [] if stop_gradients is None else as_list(stop_gradients)
        found = _accumulated(graph, targets, seeds, sources, stops, barriers)
        return [_result(found.get(id(x)), x, policy, barriers) for x in sources]


def _symbolic(value: Any) -> SymbolicTensor:
    handle = getattr(value, "__inlay_gradient_source__", None)
    tensor = handle() if handle is not None else value
    if not isinstance(tensor, SymbolicTensor):
        raise RuntimeError(f"tf.gradients needs symbolic tensors, got {value!r}. Use tf.GradientTape for eager ones.")
    return tensor


def _seeds(targets: Sequence[SymbolicTensor], grad_ys: Any) -> list[Any]:
    given = [None] * len(targets) if grad_ys is None else as_list(grad_ys)
    if len(given) != len(targets):
        raise ValueError(f"Must have as many values in `grad_ys` as in `ys`: got {len(given)} and {len(targets)}")
    seeds: list[Any] = []
    for y, g in zip(targets, given, strict=True):
        if not y.dtype.is_trainable:
            seeds.append(None)
        elif g is None:
            seeds.append(ones_like(y, name="grad_ys_0"))
        else:
            seeds.append(convert_to_tensor(g, y.dtype))
    return seeds


def _result(grad: Any, x: SymbolicTensor, policy: UnconnectedGradients, barriers: Sequence[Operation]) -> Any:
    if grad is IMPLICIT_ZERO or (grad is None and policy is UnconnectedGradients.ZERO):
        return zeros_like(x)
    if grad is None and policy is UnconnectedGradients.ERROR:
        raise ValueError(unconnected_message(x, barriers))
    if isinstance(grad, SymbolicTensor) and grad.dtype is x.dtype and x._dims is not None:
        try:
            grad.set_shape(x.shape)
        except ValueError:
            pass
    return grad


def unconnected_message(x: Any, barriers: Sequence[Any]) -> str:
    """Why a source has no gradient."""
    names = ", ".join(f"{b.name} ({b.type}{', defined at ' + str(b.site) if b.site else ''})" for b in barriers)
    return f"{x!r} receives no gradient. " + (
        f"No gradient passes through {names}: give the function a gradient with "
        "grad=, or use py_function with a body of eager ops."
        if names
        else "The target does not depend on it."
    )


def _between(targets: Sequence[SymbolicTensor], sources: Sequence[SymbolicTensor], stops: set[int]) -> set[int]:
    """Indices of the nodes that lie on a path from a source to a target."""
    first = min((x.op.index for x in sources if x.dtype is not dtypes.resource), default=0)
    if any(x.dtype is dtypes.resource for x in sources):
        first = 0
    needed: set[int] = set()
    stack = [y.op for y in targets]
    while stack:
        node = stack.pop()
        if node.index in needed or node.index < first:
            continue
        needed.add(node.index)
        stack.extend(t.op for t in node.inputs if id(t) not in stops)
    graph = targets[0].graph
    roots = {id(x) for x in sources}
    handles = any(x.dtype is dtypes.resource for x in sources)
    reached: set[int] = set()
    for index in sorted(needed):
        node = graph.nodes[index]
        if any(id(t) in roots or t.op.index in reached for t in node.inputs) or (handles and may_capture(node)):
            reached.add(index)
    return reached | {x.op.index for x in sources}


def _accumulated(
    graph: Graph,
    targets: Sequence[SymbolicTensor],
    seeds: Sequence[Any],
    sources: Sequence[SymbolicTensor],
    stop_gradients: Sequence[Any],
    barriers: list[Operation],
) -> dict[int, Any]:
    """Cotangents by identity of the tensor, of `sources` at least."""
    stops = {id(s) for s in stop_gradients}
    between = _between(targets, sources, stops)
    handles = tuple(x for x in sources if x.dtype is dtypes.resource and graph.building_function)
    found: dict[int, Any] = {}
    for y, seed in zip(targets, seeds, strict=True):
        if seed is not None:
            found[id(y)] = add_up(found.get(id(y)), seed)
    noting = noting_barriers(barriers)

    def rule(view: _View, grads: Sequence[Any]) -> Sequence[Any]:
        with graph.name_scope(f"{view.name}_grad"):
            below = noting(view, grads)
        return [None if id(t) in stops else g for t, g in zip(view.inputs, below, strict=True)] if stops else below

    views = (_View(graph.nodes[i], handles, between) for i in sorted(between, reverse=True))
    accumulate((v for v in views if v.inputs), found, {id(x) for x in sources}, rule)
    return found


def may_capture(node: Operation) -> bool:
    """Whether a function body under this node may read variables that are not among its inputs."""
    if not node.graph.building_function:
        return False
    if node.host is not None:
        return node.opdef.on_tensors and node.host.grad is None
    programs = (node.graph.referred(r) for r in references(node.attrs) if r.table == "functions")
    return any(may_capture(inner) for p in programs for inner in p.graph.nodes)


class _View:
    """A node as gradient functions see it: an Operation plus `pull`, and the variables its body may have captured."""

    __slots__ = ("_asked", "_node", "inputs", "outputs")
    pull = body = None

    def __init__(self, node: Operation, handles: tuple[SymbolicTensor, ...], asked: set[int]) -> None:
        self._node, self._asked, self.outputs = node, asked, node.outputs
        self.inputs = (*node.inputs, *handles) if handles and may_capture(node) else node.inputs

    def needs(self, index: int) -> bool:
        """Whether anybody asks for the cotangent of input `index`."""
        return self.inputs[index].op.index in self._asked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


@export("hessians")
def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """Second derivatives of the sum of `ys` with respect to each of `xs`, as graph nodes.

    Args:
      ys: symbolic tensors.
      xs: symbolic tensors of known shape.
      gate_gradients, aggregation_method: accepted and ignored.
      name: the scope of the new nodes.

    Returns:
      Per `x` a tensor of shape `x.shape + x.shape`, or None.
    """
    found: list[Any] = []
    for x in as_list(xs):
        (slope,) = gradients(ys, x, name=name)
        if slope is None:
            found.append(None)
            continue
        with slope.graph.as_default():
            found.append(jacobian(lambda seed, s=slope, x=x: gradients(s, x, seed, name=name), slope)[0])  # type: ignore[misc]
    return found
