"""What is known of an op: kernel, types, attributes, effects, shape inference, gradient. No op is declared here."""

from __future__ import annotations

import enum
import functools
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import Declared, defining_module
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims


class Effect(enum.Enum):
    """What running a node does besides making its outputs; rewriting and scheduling read this and nothing else."""

    PURE = "pure"  # may be merged, folded, repeated, dropped
    RANDOM = "random"  # no visible effect, but each run makes a new value: dropped, never merged or folded
    READS = "reads"  # depends on state: dropped when unused, never merged or folded
    WRITES = "writes"  # changes state: kept inside `function`
    STATEFUL = "stateful"  # user code that may do anything: kept and ordered inside `function`


class Role(enum.Enum):
    """What a node is in a graph, where code that works on graphs must know; ask for this, never for an op's name."""

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
    """What running several nodes does: the members stand in the order of strength."""
    return max(effects, key=_STRENGTH.__getitem__, default=Effect.PURE)


class Arg(NamedTuple):
    """One declared input."""

    name: str
    type: DType | str | None
    variadic: bool
    static: bool
    rank: int | tuple[int, ...] | None = None


def rank_misfit(dims: Any, wanted: int | tuple[int, ...]) -> str:
    """Why a shape is not of the rank, or of the sizes, that an op wants; empty if it is."""
    if wanted.__class__ is int:
        return "" if len(dims) == wanted else f"must be rank {wanted} but is rank {len(dims)}"
    assert isinstance(wanted, tuple)
    if len(dims) != len(wanted):
        return f"must be rank {len(wanted)} but is rank {len(dims)}"
    for have, size in zip(dims, wanted, strict=True):
        if have is not None and have != size:
            return f"must be {list(wanted)}: its dimension must be {size} but is {have}"
    return ""


class Shapes:
    """What `infer` may look at: the input specs of one node.

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
    """What is known of a symbolic shape vector: the op that made it may tell part of it (`OpDef.sizes`)."""
    if length > MOST_SIZES:
        return None
    node = tensor.op
    value = node.static_value(tensor.value_index)
    if value is not None:
        return tuple(None if d < 0 else d for d in value.reshape(-1).tolist())
    if node.opdef.role is Role.PLACEHOLDER:
        outer = node.graph.outside(tensor)
        return (None,) * length if outer is None or not hasattr(outer, "op") else partial_shape_value(outer, length)
    return (None,) * length if node.opdef.sizes is None else node.opdef.sizes(node, length)  # type: ignore[no-any-return]


def known_size(tensor: Any) -> int | None:
    """A scalar read as a size; None if it is not known, or stands for one that is not."""
    value = tensor.op.static_value(tensor.value_index) if hasattr(tensor, "op") else tensor
    return None if value is None or int(value) < 0 else int(value)


@dataclass(slots=True, eq=False)
class RowGradient:
    """A gradient that is zero but for some rows; rows named twice are added. A rule may give one for an input.

    It becomes a tensor where another rule takes it on, and `IndexedSlices` where it has reached what was asked for.
    """

    values: Any
    indices: Any
    size: Any

    def parts(self) -> tuple[Any, Any, Any]:
        """The rows, which they are, and the shape of the whole."""
        return self.values, self.indices, self.size


Infer = Callable[[Shapes], "Sequence[Dims]"]
Name = Callable[[str, Any], str]
"""Gives an object a name in a source that is written; the first argument is how the name begins."""
Gradient = Callable[..., Any]
Refuses = Callable[["Sequence[DType]", "Sequence[Any]"], bool]
Sizes = Callable[[Any, int], "Dims"]


class Written(NamedTuple):
    """What a kernel does for the values that it mostly meets, as source.

    Attributes:
      test: whether the values are such.
      text: the result. Where this raises, the kernel words the error.
      view: whether an array that is the result is a view of another, so that it is never anybody's own.
    """

    test: str
    text: str
    view: bool = False


Expression = Callable[["Sequence[str]", "Sequence[DType]", "Mapping[str, Any]", Name, str], "Written | None"]


@dataclass(eq=False, slots=True)
class OpDef:
    """All that is known of an op. See the module docstring.

    Attributes:
      name: the op type, as on TensorFlow's wire where it has one.
      kernel: `kernel(xp, *inputs, **attrs)`; `xp` is NumPy or `jax.numpy`.
      args: the declared inputs.
      outs: one type per output; a single `*T` entry for a list, whose types an attribute may list one by one.
      letters: type letter -> allowed dtypes.
      attrs: attribute -> default (`inspect.Parameter.empty` if required).
      effect: what running it does.
      infer: output shapes from input specs; None gives unknown shapes.
      vjp: `vjp(record, *output_grads)` -> one gradient (or None) per input, in terms of other ops.
      aliases: whether a result may share memory with an input.
      bind: for ops whose step is more than a kernel: `bind(step, graph)` gives its `StepCall`.
      differentiable: False where a gradient makes no sense (comparisons); then None flows, silently.
      ufunc: the NumPy ufunc that the kernel calls and nothing else; hot plans write its result into an input.
      overwrites: the kernel, but it may change its first input: hot plans call it where nobody else holds that.
      refuses: `refuses(dtypes, known)`: whether the kernel may raise because of values, which compiled code could not.
        Given are the dtype of each input and its value if it is a constant, else None.
      operator: Python's operator for the same ufunc (not on strings); on NumPy scalars it takes a tenth of the time.
      expression: what hot plans have in place of the kernel's call: `expression(inputs, dtypes, attrs, name, sole)`.
        Given are the flat inputs as source, their dtypes, the attributes, what names an object in the source, and what
        says there whether nobody else holds the first input ("" where somebody may). None: the kernel is called.
      role: what its nodes are to code that works on graphs.
      shape_only: it reads the shape of its first input, not its values: it runs where shapes are known, on the host.
      to_shape: it leaves its first input alone if that has the shape of the second.
      fixed_index: its attribute `index` holds numbers that may as well be its list input, so that it is compiled once.
      calls_users: its step runs other plans, and so may run user code, which may block.
      waits: its step may wait for what other runs do.
      on_tensors: its step calls a function of eager tensors, which may lie on a device.
      anywhere_from: its inputs from this one on may lie on any device; None: all lie where the step runs.
      fuses: compiled for the CPU, it becomes part of a loop, so that large arrays take no longer than by its kernel;
        None: as its ufunc tells, if it is elementwise.
      sizes: `sizes(node, length)`: what is known of the shape vector that a node makes.
      kinds: attribute -> what its values are: "bool", "int", "float", "string", "truth", "wholes"; see
        `eager.attributes`.
      among: attribute -> the texts that it may be.
      least: attribute -> the least whole number that it may be, or the least length of a list of them.
      label: how its nodes are called; its name unless TensorFlow's function has another one.
      variadic: the position of the list input, or None.
      ranked: the position and the rank, or the sizes, of each input that must have one.
      many: whether the kernel returns a sequence of results.
    """

    name: str
    kernel: Callable[..., Any]
    args: tuple[Arg, ...]
    outs: tuple[DType | str | None, ...]
    variadic_out: bool = False
    letters: Mapping[str, frozenset[DType]] = field(default_factory=dict)
    attrs: Mapping[str, Any] = field(default_factory=dict)
    effect: Effect = Effect.PURE
    infer: Infer | None = None
    vjp: Gradient | None = None
    aliases: bool = False
    bind: Callable[..., Any] | None = None
    differentiable: bool = True
    ufunc: Any = None
    overwrites: Callable[..., Any] | None = None
    refuses: Refuses | None = None
    operator: str | None = None
    expression: Expression | None = None
    role: Role = Role.OPERATION
    shape_only: bool = False
    to_shape: bool = False
    fixed_index: bool = False
    fuses: bool | None = None
    calls_users: bool = False
    waits: bool = False
    on_tensors: bool = False
    anywhere_from: int | None = None
    sizes: Sizes | None = None
    label: str = ""
    kinds: Mapping[str, str] = field(default_factory=dict)
    among: Mapping[str, Sequence[str]] = field(default_factory=dict)
    least: Mapping[str, int] = field(default_factory=dict)
    public: Callable[..., Any] | None = None
    doc: str = ""
    # Dtypes of the inputs -> dtypes of the results, filled as eager calls succeed; how the inputs are asked for theirs;
    # what writes the public function anew when there is something to be found in `fast`. See `eager.plain`.
    fast: dict[Any, Any] = field(default_factory=dict)
    groups: tuple[Any, ...] | None = None
    shorten: Callable[[], None] | None = None
    variadic: int | None = field(init=False)
    many: bool = field(init=False)
    ranked: tuple[tuple[int, int | tuple[int, ...]], ...] = field(init=False)

    def __post_init__(self) -> None:
        self.variadic = next((i for i, a in enumerate(self.args) if a.variadic), None)
        self.many = self.variadic_out or len(self.outs) != 1
        self.ranked = tuple((at, arg.rank) for at, arg in enumerate(self.args) if arg.rank is not None)
        self.label = self.label or self.name

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
        return self.infer in (same, broadcast, all_merged, merged_but_scalars)

    def takes_shape_of(self, index: int) -> bool:
        """Whether the kernel looks at no more of an input than its shape."""
        return (self.shape_only and index == 0) or (self.to_shape and index == 1)

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.name, defining_module(self.bind or self.kernel))

    # ---- calling the kernel

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

    def apply(self, xp: Any, values: Sequence[Any], attrs: Mapping[str, Any], unranked: bool = False) -> Any:
        """The result of the kernel, or a sequence of them if `many`, for flat inputs and a node's attributes.

        Ranks are looked at first if `unranked`.
        """
        kernel = self.of_ranks if unranked else self.kernel
        return kernel(xp, *self.grouped(values, attrs), **self.own(attrs))

    def of_ranks(self, xp: Any, *inputs: Any, **attrs: Any) -> Any:
        """What the kernel makes of inputs whose ranks were not known before.

        Raises:
          ValueError: if one has not the rank, or the sizes, that it must have.
        """
        for at, rank in self.ranked:
            if misfit := rank_misfit(np.shape(inputs[at]), rank):
                raise ValueError(f"{self.args[at].name} {misfit}, got shape {list(np.shape(inputs[at]))}")
        return self.kernel(xp, *inputs, **attrs)

    def bound(self, attrs: Mapping[str, Any], unranked: bool = False) -> Callable[..., Any]:
        """What `apply` does under NumPy with these attributes, as a function of the flat inputs."""
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
            kernel = f"({name('k', self.overwrites)} if {sole} else {kernel})"
        return f"{kernel}({', '.join(['np', *inputs, *keywords])})"


def operator_text(operator: str, values: Sequence[str]) -> str:
    """The source of an operator of Python between one or two values."""
    return f" {operator} ".join(values) if len(values) > 1 else f"{operator}{values[0]}"


OPS: dict[str, OpDef] = Declared()
"""Every declared op by name."""
PLAN_OPS: dict[str, OpDef] = {}
"""The ops that only plans have, by name."""


def _named(name: str, module: str) -> OpDef:
    """The op of a pickle: declared by `module`, which may make ops by name (`named`)."""
    declaring = importlib.import_module(module)
    found = OPS.get(name) or PLAN_OPS.get(name)
    return declaring.named(name) if found is None else found  # type: ignore[no-any-return]


def no_kernel(*_: Any, **__: Any) -> Any:
    """The kernel of an op whose step is made by its `bind`."""
    raise errors.InternalError(None, None, "this op has no kernel: its plan says what its step calls")


def some_values(kinds: Sequence[DType], known: Sequence[Any]) -> bool:
    """A kernel that may refuse values of its inputs whatever is known of them."""
    return True


# Why kernels fail.

_UNSAID = (LookupError, AttributeError, ArithmeticError, AssertionError, NameError)
"""Exceptions that no check raises: what a graph does not know of its inputs, a kernel meets when it runs."""


def explained(op: OpDef, error: BaseException, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> BaseException:
    """What a kernel raised, or, where that is no check's, the `ValueError` of a check that its inputs do not pass.

    Args:
      op: the op.
      error: what its kernel raised.
      inputs: the kernel's inputs, those of a list one by one.
      attrs: its attributes.

    Returns:
      `error`, or a `ValueError` whose cause it is.
    """
    if not isinstance(error, _UNSAID):
        return error
    found = _misfit(op, inputs, attrs)
    if found is None and isinstance(error, np.exceptions.AxisError):
        found = ValueError(str(error))
    if found is None:
        return error
    found.__cause__ = error
    return found


def _misfit(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> ValueError | None:
    """What does not fit of a kernel's inputs, None if nothing is known to."""
    try:
        arrays = [np.asarray(v) for v in inputs]
        if any(array.dtype == object and not array.shape for array in arrays):  # one that is gone, or is no array
            return None
        for position, rank in op.ranked:
            if misfit := rank_misfit(arrays[position].shape, rank):
                return ValueError(f"{op.args[position].name} {misfit}, got shape {list(arrays[position].shape)}")
        if op.infer is not None:
            op.infer(Shapes(arrays, [a.shape for a in arrays], attrs, lambda array: array))
    except ValueError as refusal:
        return None if isinstance(refusal, _UNSAID) else refusal
    except Exception:  # a rule that wants tensors: it has nothing to say of arrays
        return None
    return None


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
