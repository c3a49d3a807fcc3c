"""`tf.gradients`: reverse accumulation over a graph, as new nodes."""

from __future__ import annotations

import enum
import heapq
from collections.abc import Callable, Sequence
from typing import Any

from inlay.autodiff.fill import ones_like, zeros_like
from inlay.autodiff.walk import REGISTERED, ZERO, add_up, input_gradients
from inlay.core import context
from inlay.core.graph import Graph, Operation
from inlay.core.tensor import SymbolicTensor
from inlay.eager.emit import convert_to_tensor
from inlay.types import dtypes


class UnconnectedGradients(enum.Enum):
    """What a source gets that no gradient reaches: None, zeros, or (not in TensorFlow) an error."""

    NONE = "none"
    ZERO = "zero"
    ERROR = "error"


def as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


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
        found = _walk(
            graph, targets, seeds, sources, as_list(stop_gradients) if stop_gradients is not None else [], barriers
        )
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
    if grad is ZERO or (grad is None and policy is UnconnectedGradients.ZERO):
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


def _walk(
    graph: Graph,
    targets: Sequence[SymbolicTensor],
    seeds: Sequence[Any],
    sources: Sequence[SymbolicTensor],
    stop_gradients: Sequence[Any],
    barriers: list[Operation],
) -> dict[int, Any]:
    found: dict[int, Any] = {}
    stops = {id(s) for s in stop_gradients}
    between = _between(targets, sources, stops)
    handles = tuple(x for x in sources if x.dtype is dtypes.resource and graph.building_function)
    for y, seed in zip(targets, seeds, strict=True):
        if seed is not None:
            found[id(y)] = add_up(found.get(id(y)), seed)
    queue = sorted({-y.op.index for y in targets if y.op.index in between})
    queued = set(queue)
    while queue:
        node = graph.nodes[-heapq.heappop(queue)]
        grads = [found.get(id(t)) for t in node.outputs]
        takes = (*node.inputs, *handles) if handles and may_capture(node) else node.inputs
        if not takes or all(g is None for g in grads):
            continue
        if all(g is None or g is ZERO for g in grads):
            below: Sequence[Any] = [ZERO] * len(takes)
        else:
            with graph.name_scope(f"{node.name}_grad"):
                view = _View(node, handles if may_capture(node) else (), between)
                below = input_gradients(view, [None if g is ZERO else g for g in grads])
            if all(b is None for b in below):
                barriers.append(node)
        for t, g in zip(takes, below, strict=True):
            if g is None or id(t) in stops or t.dtype._kind not in "fcrv":
                continue
            found[id(t)] = add_up(found.get(id(t)), g)
            if t.op.index in between and -t.op.index not in queued:
                queued.add(-t.op.index)
                heapq.heappush(queue, -t.op.index)
    return found


def may_capture(node: Operation) -> bool:
    """Whether a function body under this node may read variables that are not among its inputs."""
    if not node.graph.building_function:
        return False
    if node.host is not None:
        return node.opdef.name == "EagerPyFunc" and node.host.grad is None
    programs = [v for v in node.attrs.values() if hasattr(v, "parameters")]
    return any(may_capture(inner) for p in programs for inner in p.graph.nodes)


class _View:
    """A node as gradient functions see it: an Operation plus `pull`, and the variables its body may have captured."""

    __slots__ = ("_asked", "_node", "inputs")
    pull = None

    def __init__(self, node: Operation, captured: Sequence[SymbolicTensor], asked: set[int]) -> None:
        self._node, self._asked = node, asked
        self.inputs = (*node.inputs, *captured)

    def needs(self, index: int) -> bool:
        """Whether anybody asks for the cotangent of input `index`."""
        return self.inputs[index].op.index in self._asked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


def register_gradient(op_type: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that registers a gradient under a name, for `Graph.gradient_override_map`.

    Args:
      op_type: the name; registering it twice is an error.

    Returns:
      A decorator for `grad_fn(op, *output_grads)`.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if op_type in REGISTERED:
            raise KeyError(f"Registering two gradient with name '{op_type}'!")
        REGISTERED[op_type] = function
        return function

    return register


def not_differentiable(op_type: str) -> None:
    """Registers a name whose gradient is None."""
    register_gradient(op_type)(lambda op, *grads: [None] * len(op.inputs))
