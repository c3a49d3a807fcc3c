"""`tf.gradients`: reverse accumulation over a graph, as new nodes."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Sequence
from typing import Any, TypeAlias

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.core import context
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.tape import may_capture
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import Role, RowGradient
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.core.trackable import acts_as_variable
from inlay._src.engine.autodiff.accumulation import IMPLICIT_ZERO, accumulate, add_up, noting_barriers
from inlay._src.engine.autodiff.backward import variable_value, zeros_of
from inlay._src.engine.autodiff.jacobian import jacobian
from inlay._src.engine.autodiff.structured import differentiable_tensors, with_derivatives
from inlay._src.ops.array import ones, ones_like
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.variables.variable import handle_here

Derivative: TypeAlias = Tensor | Any | None
"""A derivative by one tensor: None if the target does not depend on it; `Any` stands for `IndexedSlices`."""


@export("UnconnectedGradients")
class UnconnectedGradients(enum.Enum):
    """The derivative of a source that no gradient reaches: None, zeros, or (not in TensorFlow) an error."""

    NONE = "none"
    ZERO = "zero"
    ERROR = "error"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}")


def _ones(y: Any) -> Any:
    """Ones shaped like `y`. They depend on `y` only if its static shape is not fully defined."""
    if y.shape.is_fully_defined():
        return ones(y.shape.as_list(), y.dtype, name="grad_ys_0")
    return ones_like(y, name="grad_ys_0")


def as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


@export("AggregationMethod")
class AggregationMethod:
    """Methods of adding the gradients of several paths; accepted, as they are added one by one in place."""

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


@export("compat.v1.gradients")
def gradients_v1(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Derivative]:
    """Symbolic derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
      ys: a symbolic tensor, ragged or not, or a list of them.
      xs: a symbolic tensor, ragged or not, or a variable, or a list of them.
      grad_ys: cotangents of `ys`, shaped like them; ones where None. IndexedSlices are the rows that are not zero.
      name: the scope of the new nodes.
      colocate_gradients_with_ops: whether the nodes of an op's gradient are placed where the op is.
      gate_gradients, aggregation_method: accepted and ignored.
      stop_gradients: tensors not to differentiate through.
      unconnected_gradients: "none", "zero" or "error" (names the op that let no gradient pass).

    Returns:
      One tensor or None per `x`, ragged where `x` is.

    Raises:
      LookupError: if an op on the way has no gradient.
      TypeError: if a `y` is not of a floating or complex type.
    """
    wholes, origins = as_list(ys), as_list(xs)
    targets = [_target(y) for y in differentiable_tensors(wholes)]
    sources = [_source(x) for x in differentiable_tensors(origins)]
    policy = UnconnectedGradients(unconnected_gradients)
    if not targets:
        return [None] * len(origins)
    cotangents = _cotangents(wholes, [None] * len(wholes) if grad_ys is None else as_list(grad_ys))
    for y, g in zip(targets, cotangents, strict=True):
        if g is None and y.dtype.is_complex:
            raise TypeError(f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype.name})")
    stops = [] if stop_gradients is None else [source_of(s).op for s in as_list(stop_gradients)]
    everywhere = [True] * len(sources)
    derivatives = differentiate(
        targets, cotangents, sources, everywhere, policy, name, stops, colocated=colocate_gradients_with_ops
    )
    return with_derivatives(origins, derivatives)  # type: ignore[no-any-return]


gradients: Any = export("gradients")(
    another_form(
        gradients_v1,
        "ys, xs, grad_ys=None, name='gradients', gate_gradients=False, aggregation_method=None, stop_gradients=None, "
        "unconnected_gradients=UnconnectedGradients.NONE",
        "gradients",
    )
)


def _cotangents(targets: list[Any], cotangents: list[Any]) -> list[Any]:
    """The cotangents of the tensors of the targets; a ragged or sparse target's may be ragged or sparse too."""
    if len(cotangents) != len(targets):
        raise ValueError(f"Must have as many values in `grad_ys` as in `ys`: got {len(cotangents)} and {len(targets)}")
    out: list[Any] = []
    for y, g in zip(targets, cotangents, strict=True):
        parts = len(differentiable_tensors(y))
        if g is None:
            out += [None] * parts
        elif parts == 1 and (isinstance(g, IndexedSlices) or nest.composite_of(g) is None):
            out.append(g)
        else:
            out += differentiable_tensors(g)
    return out


def source_of(value: Any) -> Any:
    """The tensor that stands for what is differentiated: a variable's handle, else the tensor itself."""
    if isinstance(value, Tensor):
        return value
    handle = getattr(value, "__inlay_gradient_source__", None)
    if handle is None and acts_as_variable(value):
        own = getattr(value, "handle", None)  # none while a library has a tensor stand for the variable
        return value if own is None else handle_here(own)
    if handle is None and value is not None and getattr(value, "dtype", None).__class__ is str:  # Keras's on JAX
        raise TypeError(
            f"gradients are taken with respect to tensors and variables, got {value!r}: a tape does not see it, only "
            "the tensors that it becomes. Watch `tf.convert_to_tensor(...)` of it and compute with that; for weights "
            "of Keras on JAX use `jax.grad` with `stateless_call` (inlay explain no-gradient)"
        )
    return value if handle is None else handle()


def _source(value: Any) -> Any:
    """The tensor that stands for what a graph is differentiated with respect to; another value becomes a tensor."""
    source = source_of(value)
    return source if source is None or isinstance(source, Tensor) else convert_to_tensor(source, name="x")


def _target(value: Any) -> SymbolicTensor:
    if not isinstance(source_of(value), SymbolicTensor):
        raise RuntimeError(
            f"tf.gradients needs symbolic tensors, got {value!r}. Use tf.GradientTape for eager ones. "
            "(inlay explain eager-gradients)"
        )
    return convert_to_tensor(value)  # type: ignore[return-value]


def differentiate(
    targets: Sequence[SymbolicTensor],
    seeds: Sequence[Any],
    sources: Sequence[Any],
    followed: Sequence[bool],
    policy: UnconnectedGradients,
    name: str = "gradients",
    stops: Sequence[Operation] = (),
    recorded: Sequence[Operation] | None = None,
    colocated: bool = False,
) -> list[Any]:
    """One derivative or None per source, of the sum of `targets`, as new nodes.

    Args:
      targets: symbolic tensors of one graph.
      seeds: their cotangents; ones where None.
      sources: tensors of that graph or of what encloses it.
      followed: per source, whether it may have a derivative.
      policy: the derivative of a source that no gradient reaches.
      name: the scope of the new nodes.
      stops: nodes that count as constants.
      recorded: the nodes that count as applied; None is all.
      colocated: whether the nodes of an op's gradient are placed where the op is.
    """
    state = context.current()
    graph: Any = state.graph  # a body differentiates what encloses it by nodes of its own
    if not isinstance(graph, FuncGraph) or not graph.is_inside(targets[0].graph):
        graph = targets[0].graph
    inside = state if state.graph is graph else context.State(graph=graph, tapes=state.tapes)
    with context.using(inside), graph.name_scope(name):
        cotangents: dict[int, Any] = {}
        for y, g in zip(targets, seeds, strict=True):
            if y.dtype.is_trainable or y.dtype is dtypes.resource or (y.dtype is dtypes.variant and g is not None):
                kind = handle_key(y).dtype if y.dtype is dtypes.resource else y.dtype
                if isinstance(g, IndexedSlices):
                    seed: Any = RowGradient(convert_to_tensor(g.values, kind), g.indices, g.dense_shape)
                else:
                    seed = _ones(variable_value(y)) if g is None else convert_to_tensor(g, kind)
                cotangents[id(y)] = add_up(cotangents.get(id(y)), seed)
        roots = [x for x, follow in zip(sources, followed, strict=True) if follow]
        path = _between(targets, roots, {id(s) for s in stops}, None if recorded is None else {id(n) for n in recorded})
        barriers: list[Operation] = []
        _accumulate(graph, path, cotangents, roots, barriers, colocated)
        for x in roots:
            if x.dtype._kind in "biu":
                cotangents[id(x)] = own_cotangent(x, targets, seeds)
        return [
            _result(cotangents.get(id(x)) if follow else None, x, policy, barriers)
            for x, follow in zip(sources, followed, strict=True)
        ]


def own_cotangent(source: Tensor, targets: Sequence[Tensor], cotangents: Sequence[Any]) -> Any:
    """The derivative of integers or bools by themselves, the only one that they have.

    Args:
      source: a tensor of integers or bools.
      targets: the differentiated tensors.
      cotangents: their cotangents; ones where None.

    Returns:
      The cotangents of those targets that are `source`, added up; None if none is.
    """
    total = None
    for y, g in zip(targets, cotangents, strict=True):
        if y is source:
            total = add_up(total, _ones(y) if g is None else convert_to_tensor(g, y.dtype))
    return total


def _result(grad: Any, x: Any, policy: UnconnectedGradients, barriers: Sequence[Operation]) -> Any:
    if grad is IMPLICIT_ZERO or (grad is None and policy is UnconnectedGradients.ZERO):
        return zeros_of(x)
    if grad is None and policy is UnconnectedGradients.ERROR:
        raise ValueError(unconnected_message(x, barriers))
    if grad.__class__ is RowGradient:
        return IndexedSlices(*grad.parts())
    if isinstance(grad, SymbolicTensor) and grad.dtype is x.dtype and x.shape.rank is not None:
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
        "grad=, or use py_function with a body of eager ops. (inlay explain no-gradient)"
        if names
        else "The target does not depend on it. (inlay explain no-gradient)"
    )


def _outer(node: Operation) -> Any:
    """The tensor from outside that an input of a function's graph stands for; None for other nodes."""
    if node.opdef.role is not Role.PLACEHOLDER or not node.graph.building_function:
        return None
    return node.graph.outside(node.outputs[0])  # type: ignore[attr-defined]


def _between(
    targets: Sequence[SymbolicTensor], sources: Sequence[Any], stops: set[int], recorded: set[int] | None
) -> list[Operation]:
    """The nodes on a path from a source to a target, in order: those of enclosing graphs first.

    Args:
      targets, sources: as in `differentiate`.
      stops, recorded: identities of nodes.
    """
    graph = targets[0].graph
    local = all(isinstance(x, SymbolicTensor) and x.graph is graph and x.dtype is not dtypes.resource for x in sources)
    first = min((x.op.index for x in sources), default=0) if local else 0
    needed: dict[int, Operation] = {}
    depths = {id(graph): 0}  # how far outside a graph is
    stack = [y.op for y in targets]
    while stack:
        node = stack.pop()
        if id(node) in needed or id(node) in stops or (node.graph is graph and node.index < first):
            continue
        outer = _outer(node)
        if outer is None and recorded is not None and id(node) not in recorded:
            continue
        needed[id(node)] = node
        if isinstance(outer, SymbolicTensor):
            depths.setdefault(id(outer.graph), depths[id(node.graph)] + 1)
            stack.append(outer.op)
        stack.extend(t.op for t in node.inputs)
    roots = {id(x) for x in sources}
    handles = any(x.dtype is dtypes.resource for x in sources)
    reached: set[int] = set()
    path: list[Operation] = []
    for node in sorted(needed.values(), key=lambda n: (-depths[id(n.graph)], n.index)):
        outer = _outer(node)
        inputs = node.inputs if outer is None else (outer,)
        if any(id(t) in roots or (isinstance(t, SymbolicTensor) and id(t.op) in reached) for t in inputs) or (
            handles and may_capture(node)
        ):
            reached.add(id(node))
            path.append(node)
    return path


def _accumulate(
    graph: Graph,
    path: Sequence[Operation],
    cotangents: dict[int, Any],
    sources: Sequence[Any],
    barriers: list[Operation],
    colocated: bool,
) -> None:
    """Adds to `cotangents` the cotangents, by identity of the tensor, of `sources` at least."""
    asked = {id(node) for node in path} | {id(x.op) for x in sources if isinstance(x, SymbolicTensor)}
    handles = tuple(x for x in sources if x.dtype is dtypes.resource and graph.building_function)
    noting = noting_barriers(barriers)

    def rule(view: _NodeView, grads: Sequence[Any]) -> Sequence[Any]:
        if view.outer is not None:
            return grads
        with graph.name_scope(f"{view.name}_grad"), _placed_with(view._node) if colocated else _ANYWHERE:
            return noting(view, grads)

    views = (_NodeView(node, handles, asked) for node in reversed(path))
    add = _add_where_it_is if colocated else add_up
    accumulate((v for v in views if v.inputs), cotangents, {id(x) for x in sources}, rule, add)


_ANYWHERE = contextlib.nullcontext()


def _placed_with(node: Operation) -> contextlib.AbstractContextManager[None]:
    return context.colocate_with(node, ignore_existing=True)


def _add_where_it_is(one: Any, two: Any, of: Any) -> Any:
    """The sum of two cotangents: where the earlier op's is, or where the tensor `of` is if their devices differ."""
    here = [c.op for c in (one, two) if isinstance(c, SymbolicTensor)]
    if not here:
        return add_up(one, two)
    with _placed_with(of.op if len({node.device for node in here}) > 1 else here[-1]):
        return add_up(one, two)


class _NodeView:
    """A node as gradient functions see it: an Operation plus `pull`, and the variables its body may have captured.

    An input of a function's graph is seen as a copy of what it stands for outside.
    """

    __slots__ = ("_asked", "_node", "inputs", "outer", "outputs")
    pull = body = None

    def __init__(self, node: Operation, handles: tuple[SymbolicTensor, ...], asked: set[int]) -> None:
        self._node, self._asked, self.outputs, self.outer = node, asked, node.outputs, _outer(node)
        self.inputs = (*node.inputs, *handles) if handles and may_capture(node) else node.inputs
        if self.outer is not None:
            self.inputs = (self.outer,)

    def needs(self, index: int) -> bool:
        """Whether anybody asks for the cotangent of input `index`."""
        return id(self.inputs[index].op) in self._asked

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
      xs: symbolic tensors.
      gate_gradients, aggregation_method: accepted and ignored.
      name: the scope of the new nodes.

    Returns:
      Per `x` a tensor of shape `x.shape + x.shape`.

    Raises:
      ValueError: if `ys` do not depend on one of `xs`.
    """
    matrices: list[Any] = []
    for x in as_list(xs):
        (slope,) = gradients(ys, x, name=name)
        if not (slope is None or isinstance(slope, Tensor)):
            raise TypeError(f"hessians: `xs` must be tensors or variables, got {x!r}")
        if slope is None:
            raise ValueError(f"hessians: no gradient of {ys!r} with respect to {x!r}: they are not connected")
        with slope.graph.as_default():
            hessian = jacobian(lambda seed, s=slope, x=x: gradients(s, x, seed, name=name), slope)[0]  # type: ignore[misc]
        if hessian is None:
            raise ValueError(f"hessians: the gradient of {ys!r} with respect to {x!r} does not depend on {x!r}")
        matrices.append(hessian)
    return matrices


hessians_v1: Any = export("compat.v1.hessians")(
    another_form(
        hessians,
        "ys, xs, name='hessians', colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None",
        colocate_gradients_with_ops=None,
    )
)
