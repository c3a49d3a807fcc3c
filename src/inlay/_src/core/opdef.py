"""The definition of an op: kernel, types, attributes, effects, shape inference, gradient. No op is declared here."""

from __future__ import annotations

import enum
import functools
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import Declared, defining_module, load_all
from inlay._src.base.interpreter import floating
from inlay._src.base.interpreter.caches import listed, put
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.hints import NO_LOWERING, NO_SCHEDULING, LoweringHints, Name, Scheduling
from inlay._src.core.signature import Arg, Attribute, Signature, rank_misfit


class Effect(enum.Enum):
    """The side effect of running a node; rewriting and scheduling read this and nothing else."""

    PURE = "pure"  # may be merged, folded, repeated, dropped
    RANDOM = "random"  # no visible effect, but each run makes a new value: dropped, never merged or folded
    READS = "reads"  # depends on state: dropped when unused, never merged or folded
    WRITES = "writes"  # changes state: kept inside `function`
    STATEFUL = "stateful"  # user code that may do anything: kept and ordered inside `function`


class Role(enum.Enum):
    """The role of a node, for code that works on graphs; ask for this, never for an op's name."""

    OPERATION = "operation"  # computes its outputs from its inputs
    CONSTANT = "constant"  # its attribute `value`
    PLACEHOLDER = "placeholder"  # must be fed
    DEFAULT = "default"  # its input, unless a run feeds it
    VARIABLE = "variable"  # the handle of a variable or of another state: its attribute `handle` refers to the key
    READ = "read"  # the value behind a variable's handle
    NOTHING = "nothing"  # a place to hang control inputs on
    IDENTITY = "identity"  # its input, as a tensor of its own
    NOT = "not"  # whether its input does not hold
    RANGE = "range"  # the numbers from its first input up to its second, its third apart
    PULLBACK = "pullback"  # consumes the pullback that another node left


_STRENGTH = {effect: i for i, effect in enumerate(Effect)}


def strongest(effects: Iterable[Effect]) -> Effect:
    """The effect of running several nodes: the members are in the order of strength."""
    return max(effects, key=_STRENGTH.__getitem__, default=Effect.PURE)


class Shapes:
    """The argument of `infer`: the input specs of one node.

    Attributes:
      dims: one partial shape per input tensor.
      attrs: the node's attributes.
    """

    __slots__ = ("_constants", "attrs", "dims", "inputs")

    def __init__(
        self, inputs: Sequence[Any], dims: Sequence[Dims], attrs: Mapping[str, Any], constant: Callable[[Any], Any]
    ) -> None:
        self.inputs, self.dims, self.attrs, self._constants = inputs, dims, attrs, constant

    def value(self, index: int) -> Any:
        """Input `index` as an array if it is known while building, else None."""
        return self._constants(self.inputs[index])

    def partial_value(self, index: int) -> Dims:
        """Input `index` read as a shape: sizes that are known, None for those that are not; None if nothing is.

        Raises:
          ValueError: if it is known to be no shape.
        """
        length, from_value = self.dims[index], self._constants(self.inputs[index])
        if length is not None and len(length) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(length)}")
        if from_value is not None:
            sizes = [int(d) for d in from_value.reshape(-1)]
            if sizes and min(sizes) < -1:
                raise ValueError(f"Invalid value in tensor used for shape: {min(sizes)}")
            return tuple(None if d < 0 else d for d in sizes)
        if length is not None and len(length) == 1 and length[0] is not None:
            return partial_shape_value(self.inputs[index], length[0])
        return None


MOST_SIZES = 1024
"""Entries of a shape vector that are looked at: a message may claim that one is longer than memory."""


def partial_shape_value(tensor: Any, length: int) -> Dims:
    """The sizes that are known of a symbolic shape vector, all or those that `Inference.sizes` of its op gives."""
    if length > MOST_SIZES:
        return None
    node = tensor.op
    value = node.static_value(tensor.value_index)
    if value is not None:
        return tuple(None if d < 0 else d for d in value.reshape(-1).tolist())
    if node.opdef.role is Role.PLACEHOLDER:
        outer = node.graph.outside(tensor)
        return (None,) * length if outer is None or not hasattr(outer, "op") else partial_shape_value(outer, length)
    return (None,) * length if (sizes := node.opdef.infer.sizes) is None else sizes(node, length)  # type: ignore[no-any-return]


def known_size(tensor: Any) -> int | None:
    """A scalar read as a size; None if it is not known, or stands for one that is not."""
    value = tensor.op.static_value(tensor.value_index) if hasattr(tensor, "op") else tensor
    return None if value is None or int(value) < 0 else int(value)


class RowGradient:
    """A gradient that is zero but for some rows; rows named twice are added. A rule may give one for an input.

    It becomes a tensor where another rule takes it on, and `IndexedSlices` where it has reached what was asked for.

    Args:
      values: the rows.
      indices: their places.
      size: the shape of the whole.
    """

    __slots__ = ("indices", "size", "values")

    def __init__(self, values: Any, indices: Any, size: Any) -> None:
        self.values: Any = values
        self.indices: Any = indices
        self.size: Any = size

    def parts(self) -> tuple[Any, Any, Any]:
        """The rows, which they are, and the shape of the whole."""
        return self.values, self.indices, self.size


Infer = Callable[[Shapes], "Sequence[Dims]"]
Gradient = Callable[..., Any]
Sizes = Callable[[Any, int], "Dims"]


class Inference:
    """Shape inference of an op.

    Args:
      dims: output shapes from input specs; None gives unknown shapes.
      sizes: `sizes(node, length)`: the sizes that are known of the shape vector that a node makes; None gives none.
    """

    __slots__ = ("dims", "sizes")

    def __init__(self, dims: Infer | None = None, sizes: Sizes | None = None) -> None:
        self.dims: Infer | None = dims
        self.sizes: Sizes | None = sizes


def no_gradient(record: Any, *grads: Any) -> tuple[None, ...]:
    """The gradient of an op for which none makes sense (comparisons): None flows, silently."""
    return (None,) * len(record.inputs)


MOST_SIGNATURES = 256
"""Combinations of dtypes that are remembered of one op, per dictionary."""


class Dispatch:
    """The dispatch cache of an op: the dtypes of its earlier calls, so that no call like one of them decides them anew.

    An `OpDef` is frozen; its dispatch cache alone changes. It is in one of two states:

        generic       the public function passes every call to the funnel
        specialized   it looks up the dtypes of its inputs in `results` first, and passes other calls to the funnel

    The funnel writes: `eager.plain.learn` adds to `results` after an eager call without effects, which makes a generic
    cache specialized; `eager.building` adds to `bindings`. Any thread may do so. No lock is held: a value follows from
    its key and the op, so threads that add the same key add equal values, and each addition is one operation of a
    dictionary. Both dictionaries are bounded. A forked child goes on with the entries of its parent.

    Attributes:
      function: the public function; None if the op has none.
      groups: the inputs that must have one dtype, see `eager.plain.Group`; None if the op has no fast path.
      results: eager calls: dtypes of the groups -> dtypes of the results.
      bindings: calls in graphs: dtypes of the inputs, None for a number -> `eager.building.Binding`.
      specialize: writes the fast path into the public function; None once that is done, or if there is none.
    """

    __slots__ = ("bindings", "function", "groups", "results", "specialize")

    def __init__(self) -> None:
        self.function: Callable[..., Any] | None = None
        self.groups: tuple[Any, ...] | None = None
        self.results: dict[Any, Any] = {}  # the fast path reads it: `get` of a subclass would cost 20 ns more
        self.bindings: dict[tuple[Any, ...], Any] = {}
        self.specialize: Callable[[], None] | None = None

    def add_binding(self, dtypes: tuple[Any, ...], binding: Any) -> None:
        """Adds the dtypes of the inputs of a call in a graph, and the binding that follows from them."""
        put(self.bindings, dtypes, binding, MOST_SIGNATURES)

    def add_results(self, dtypes: Any, results: Any) -> None:
        """Adds the dtypes of an eager call and of its results, and specializes the public function."""
        put(self.results, dtypes, results, MOST_SIGNATURES)
        specialize, self.specialize = self.specialize, None
        if specialize is not None:
            specialize()


_UNKNOWN_SHAPES = Inference()


@dataclass(frozen=True, eq=False, slots=True)
class OpDef:
    """All that is known of an op. See the module docstring.

    Attributes:
      name: the op type, as on TensorFlow's wire where it has one.
      kernel: `kernel(xp, *inputs, **attrs)`; `xp` is NumPy or `jax.numpy`.
      attrs: the declared attributes by name.
      effect: the effect of running it.
      role: the role of its nodes, for code that works on graphs.
      infer: shape inference.
      vjp: `vjp(record, *output_grads)` -> one gradient (or None) per input, in terms of other ops; None: derived from
        the kernel; `no_gradient` if a gradient makes no sense.
      lowering: hints for lowerings.
      scheduling: facts about its step.
      label: the name of its nodes; its own name unless TensorFlow's function has another one.
      doc: its documentation.
      args, outs, variadic_out, letters: those of the `Signature` that it is made with.
      variadic: the position of the list input, or None.
      many: whether the kernel returns a sequence of results.
      ranked: the position and the rank, or the sizes, of each input that must have one.
      checked: the attributes whose values are of some kind.
      dispatch: its dispatch cache, which alone changes.
    """

    name: str
    kernel: Callable[..., Any]
    signature: InitVar[Signature]
    attrs: Mapping[str, Attribute] = field(default_factory=dict)
    effect: Effect = Effect.PURE
    role: Role = Role.OPERATION
    infer: Inference = _UNKNOWN_SHAPES
    vjp: Gradient | None = None
    lowering: LoweringHints = NO_LOWERING
    scheduling: Scheduling = NO_SCHEDULING
    label: str = ""
    doc: str = ""
    args: tuple[Arg, ...] = field(init=False)
    outs: tuple[DType | str | None, ...] = field(init=False)
    variadic_out: bool = field(init=False)
    letters: Mapping[str, frozenset[DType]] = field(init=False)
    variadic: int | None = field(init=False)
    many: bool = field(init=False)
    ranked: tuple[tuple[int, int | tuple[int, ...]], ...] = field(init=False)
    checked: tuple[tuple[str, Attribute], ...] = field(init=False)
    dispatch: Dispatch = field(init=False)

    def __post_init__(self, signature: Signature) -> None:
        args, outs, variadic_out = signature.args, signature.outs, signature.variadic_out
        derived = {
            "args": args,
            "outs": outs,
            "variadic_out": variadic_out,
            "letters": signature.letters,
            "label": self.label or self.name,
            "variadic": next((i for i, a in enumerate(args) if a.variadic), None),
            "many": variadic_out or len(outs) != 1,
            "ranked": tuple((at, arg.rank) for at, arg in enumerate(args) if arg.rank is not None),
            "checked": tuple(item for item in self.attrs.items() if item[1].kind),
            "dispatch": Dispatch(),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def output_dtypes(self, letters: Mapping[str, DType], attrs: Mapping[str, Any]) -> tuple[DType, ...]:
        """The dtype of each output once the letters are bound."""
        kinds = [
            t if isinstance(t, DType) else letters.get(t) or attrs[t]  # type: ignore[arg-type, index]
            for t in self.outs
        ]
        if self.variadic_out:
            return kinds[0] if isinstance(kinds[0], tuple) else tuple(kinds) * attrs["num"]
        return tuple(kinds)

    @property
    def elementwise(self) -> bool:
        """Whether each element of the result is a function of the inputs' elements at its place."""
        return self.infer.dims in (same, broadcast, all_merged, merged_but_scalars)

    def takes_shape_of(self, index: int) -> bool:
        """Whether the kernel looks at no more of an input than its shape."""
        return (self.lowering.shape_only and index == 0) or (self.lowering.to_shape and index == 1)

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.name, defining_module(self.scheduling.bind or self.kernel))

    # ---- calling the kernel

    def call(self, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        """The kernel's result under NumPy, whose floating-point reports are off meanwhile.

        Args:
          inputs: the kernel's inputs: arrays, a list of them for the list input, static values.
          attrs: the kernel's attributes.
        """
        token = floating.silence(floating.SILENT)
        try:
            return self.kernel(np, *inputs, **attrs)
        finally:
            floating.restore(token)

    def own(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes that the kernel takes; a node has others too."""
        return {name: attrs[name] for name in self.attrs if name in attrs}

    def grouped(self, values: Sequence[Any], attrs: Mapping[str, Any]) -> Sequence[Any]:
        """Flat inputs as the kernel takes them: those of the list input, `attrs["N"]` of them, as one list."""
        at = self.variadic
        if at is None:
            return values
        end = at + attrs["N"]
        return [*values[:at], list(values[at:end]), *values[end:]]

    def flat(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """The kernel's inputs with the list input spread out, also an empty one: the inverse of `grouped`."""
        at = self.variadic
        return tuple(inputs) if at is None else (*inputs[:at], *inputs[at], *inputs[at + 1 :])

    def arguments(self, count: int) -> list[Arg]:
        """The declared inputs of a node with `count` flat ones: that of the list input is repeated."""
        at = self.variadic
        if at is None:
            return list(self.args)
        repeated = [self.args[at]._replace(variadic=False)] * (count - len(self.args) + 1)
        return [*self.args[:at], *repeated, *self.args[at + 1 :]]

    def apply(self, xp: Any, values: Sequence[Any], attrs: Mapping[str, Any], unranked: bool = False) -> Any:
        """The result of the kernel, or a sequence of them if `many`, for flat inputs and a node's attributes.

        Ranks are looked at first if `unranked`.
        """
        kernel = self.of_ranks if unranked else self.kernel
        return kernel(xp, *self.grouped(values, attrs), **self.own(attrs))

    def of_ranks(self, xp: Any, *inputs: Any, **attrs: Any) -> Any:
        """The kernel's result for inputs whose ranks were not known before; see `check_ranks`."""
        self.check_ranks(inputs)
        return self.kernel(xp, *inputs, **attrs)

    def check_ranks(self, inputs: Sequence[Any]) -> None:
        """Checks the ranks of the kernel's inputs.

        Raises:
          ValueError: if one has not the rank, or the sizes, that it must have.
        """
        for at, rank in self.ranked:
            if misfit := rank_misfit(np.shape(inputs[at]), rank):
                raise ValueError(f"{self.args[at].name} {misfit}, got shape {list(np.shape(inputs[at]))}")

    def bound(self, attrs: Mapping[str, Any], unranked: bool = False) -> Callable[..., Any]:
        """`apply` under NumPy with these attributes, as a function of the flat inputs."""
        own = self.own(attrs)
        kernel = self.of_ranks if unranked else self.kernel
        if self.variadic is None:
            return functools.partial(kernel, np, **own)
        at, end = self.variadic, self.variadic + attrs["N"]
        return lambda *values: kernel(np, *values[:at], list(values[at:end]), *values[end:], **own)

    def text(
        self, values: Sequence[str], attrs: Mapping[str, Any], name: Name, sole: str = "", unranked: bool = False
    ) -> str:
        """The source of what `apply` does under NumPy, called `np` there, for inputs that are expressions.

        `name` gives an object a name in the source; its first argument is how the name begins. `sole` is source that
        says whether nobody else holds the first input of an op that `overwrites` it. Ranks are looked at if `unranked`.
        """
        inputs = [f"[{', '.join(v)}]" if v.__class__ is list else v for v in self.grouped(values, attrs)]
        keywords = [f"{a}={name(a, value)}" for a, value in self.own(attrs).items()]
        kernel = name("k", self.of_ranks if unranked else self.kernel)
        if sole:
            kernel = f"({name('k', self.lowering.overwrites)} if {sole} else {kernel})"
        return f"{kernel}({', '.join(['np', *inputs, *keywords])})"


def operator_text(operator: str, values: Sequence[str]) -> str:
    """The source of an operator of Python between one or two values."""
    return f" {operator} ".join(values) if len(values) > 1 else f"{operator}{values[0]}"


OPS: dict[str, OpDef] = Declared("ops")
"""Every op by name. It holds those of the modules that are loaded; `OPS[name]` loads the module of another."""
PLAN_OPS: dict[str, OpDef] = {}
"""The ops that only plans have, by name."""


def _dispatch_sizes() -> tuple[int, int]:
    caches = [op.dispatch for op in list(OPS.values())]
    return sum(len(c.results) + len(c.bindings) for c in caches), 2 * MOST_SIGNATURES * len(caches)


listed("dispatch caches of ops", _dispatch_sizes)


def _named(name: str, module: str) -> OpDef:
    """The op of a pickle: declared by `module`, which may make ops by name (`named`)."""
    declaring = importlib.import_module(module)
    opdef = OPS.get(name) or PLAN_OPS.get(name)
    if opdef is not None:
        return opdef
    if hasattr(declaring, "named"):
        return declaring.named(name)  # type: ignore[no-any-return]
    load_all()
    return OPS.get(name) or PLAN_OPS[name]


def no_kernel(*_: Any, **__: Any) -> Any:
    """The kernel of an op whose step is made by its `bind`."""
    raise errors.InternalError(None, None, "this op has no kernel: its plan says what its step calls")


# Shape rules that many ops share.


def same(shape: Shapes) -> Sequence[Dims]:
    """The output has the input's shape, and each element is a function of the one at its place."""
    return (shape.dims[0],)


def as_first(shape: Shapes) -> Sequence[Dims]:
    """The output has the first input's shape; its elements may depend on all of them."""
    return (shape.dims[0],)


def of_ranks(infer: Infer, *ranks: int | None) -> Infer:
    """`infer` of inputs of these ranks, None being any; the kernel words what it refuses when it runs."""

    def inferred(shape: Shapes) -> Sequence[Dims]:
        for dims, rank in zip(shape.dims, ranks, strict=False):
            if rank is not None and dims is not None and len(dims) != rank:
                raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")
        return infer(shape)

    return inferred


def scalar(shape: Shapes) -> Sequence[Dims]:
    """The output has rank 0."""
    return ((),)


def broadcast(shape: Shapes) -> Sequence[Dims]:
    """The output has the broadcast shape of all inputs; each element is a function of those at its place."""
    out = shape.dims[0]
    for dims in shape.dims[1:]:
        out = shapes.broadcast(out, dims)
    return (out,)


def all_merged(shape: Shapes) -> Sequence[Dims]:
    """All inputs and the output have one shape."""
    return (functools.reduce(shapes.merge, shape.dims),)


def merged_but_scalars(shape: Shapes) -> Sequence[Dims]:
    """All inputs and the output have one shape; scalars among the inputs go with any other."""
    return (functools.reduce(shapes.merge, [dims for dims in shape.dims if dims != ()] or [()]),)


def vector(shape: Shapes) -> Sequence[Dims]:
    """The output has rank 1 and unknown length."""
    return ((None,),)
