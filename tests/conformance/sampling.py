"""What a sample row says about an op, and the input values that follow from it for each type.

    row(*inputs, **attrs)            inputs as nested lists of numbers; a list of arrays for the list input
    row(...).but(ints=..., ...)      what differs from the defaults, see `Row`

One row serves every type the op takes. Real numbers are written; integers are twice them, rounded (unless `ints` says
otherwise), booleans say which are positive, complex numbers get imaginary parts. Static inputs and inputs of a fixed
integer type stand as written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from inlay._src.base.export import declaring_modules
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.devices.device_tensor import KINDS
from inlay._src.core.opdef import OPS, OpDef
from inlay._src.core.signature import Arg

for _op in declaring_modules()["ops"]:
    OPS[_op]  # loads the module that declares it

_IMAGINARY = [0.3, -0.2, 0.5, 0.1, -0.4]
_SKIPPED = {dtypes.string, dtypes.resource, dtypes.variant} | {d for d in dtypes.ALL if d.is_quantized}


@dataclasses.dataclass(frozen=True)
class Row:
    """One op's sample.

    Attributes:
      inputs: one value per declared input.
      attrs: attributes; a function of the main type where the value depends on it.
      ints: inputs for integer types, where twice the others will not do.
      only: the types to try, where not all of them can be tried.
      numpy_only: the op has no XLA form: its result's shape depends on values, or it works on text.
      loose: how many times the usual tolerance the namespaces may differ by.
      view: what to compare, for results that are not unique (signs of singular vectors).
      unknown: the shape of the result is not known before running, even for known inputs.
      prepare: applied to the inputs before the op when gradients are checked, to keep them in its domain.
      seen: applied to the outputs when gradients are checked, to leave what is defined.
      order: how often it can be differentiated; 0 where the gradient is zero or None by nature.
      sources: the inputs with gradients; all of the right type if None.
      complex_gradient: whether gradients of complex numbers are checked too.
    """

    inputs: tuple[Any, ...]
    attrs: dict[str, Any]
    ints: tuple[Any, ...] | None = None
    only: frozenset[DType] | None = None
    numpy_only: bool = False
    loose: float = 1.0
    view: Callable[[list[Any]], list[Any]] | None = None
    unknown: bool = False
    prepare: Callable[..., Any] | None = None
    seen: Callable[..., Any] | None = None
    order: int = 2
    sources: tuple[int, ...] | None = None
    complex_gradient: bool = True

    def but(self, **changes: Any) -> Row:
        """This row with some fields changed."""
        return dataclasses.replace(self, **changes)


def row(*inputs: Any, **attrs: Any) -> Row:
    """A row of inputs and attributes."""
    return Row(inputs, attrs)


@dataclasses.dataclass(frozen=True)
class Case:
    """A row with its types chosen: a call of the kernel.

    Attributes:
      letters: type letter -> type.
      inputs: arrays; a list of them for the list input.
      attrs: attribute values.
    """

    op: OpDef
    row: Row
    letters: dict[str, DType]
    inputs: tuple[Any, ...]
    attrs: dict[str, Any]

    @property
    def label(self) -> str:
        return f"{self.op.name}[{', '.join(f'{k}={d.name}' for k, d in self.letters.items())}]"


def may_be_compiled(case: Case) -> bool:
    """Whether compiled segments hold the case's dtypes: XLA ends the process at some kernels of two-bit integers."""
    return all(dtype._kind in KINDS for dtype in case.letters.values())


def values_of(value: Any, dtype: DType) -> np.ndarray:
    """A written value in a type."""
    if dtype is dtypes.string:
        out = np.empty(np.shape(value), object)
        out[...] = value
        return out
    array = np.asarray(value)
    if array.dtype.kind in "bc" or (array.dtype.kind in "iu" and dtype.is_integer):
        return array.astype(dtype.np)
    if dtype.is_bool:
        return array > 0
    if dtype.is_integer:
        whole = np.rint(np.asarray(array, np.float64) * 2)
        return (np.abs(whole) if dtype.is_unsigned else whole).astype(dtype.np)
    if dtype.is_complex:
        imaginary = np.resize(_IMAGINARY, array.shape) if array.shape else 0.3
        return (array + 1j * np.asarray(imaginary)).astype(dtype.np)
    return array.astype(dtype.np)


def _main_letter(op: OpDef) -> str | None:
    return next((a.type for a in op.args if isinstance(a.type, str) and not a.static and a.type in op.letters), None)


def _letters_of(op: OpDef, main: str | None, kind: DType | None) -> Iterator[dict[str, DType]]:
    """Every type of the main letter with the usual type of the others; then each other type of those once."""
    order = (dtypes.int32, dtypes.float32, dtypes.bool_, dtypes.int64)

    def usual(letter: str) -> DType:
        return next((d for d in order if d in op.letters[letter]), min(op.letters[letter], key=lambda d: d.name))

    base = {letter: usual(letter) for letter in op.letters}
    kinds = [kind] if kind is not None else sorted(op.letters[main] - _SKIPPED, key=lambda d: d.name) if main else []
    for d in kinds:
        yield {**base, main: d}  # type: ignore[dict-item]
    if not main:
        yield base
    if kind is None:
        for letter in op.letters:
            if letter != main:
                first = {**base, **({main: kinds[0]} if main and kinds else {})}
                for d in sorted(op.letters[letter] - _SKIPPED - {base[letter]}, key=lambda d: d.name):
                    yield {**first, letter: d}


def _array(arg: Arg, value: Any, letters: dict[str, DType], attrs: dict[str, Any]) -> np.ndarray:
    kind = arg.type if isinstance(arg.type, DType) else letters.get(arg.type or "") or attrs.get(arg.type or "")
    return np.asarray(value) if kind is None else values_of(value, kind)


def cases(op: OpDef, sample: Row, kind: DType | None = None) -> Iterator[Case]:
    """The calls a row stands for.

    Args:
      op: the op.
      sample: its row.
      kind: only this type of the main letter.
    """
    main = _main_letter(op)
    if kind is not None and (main is None or kind not in op.letters[main]):
        return
    for letters in _letters_of(op, main, kind):
        of_main = letters.get(main) if main else None
        if sample.only is not None and of_main is not None and of_main not in sample.only:
            continue
        whole = of_main is not None and of_main.is_integer
        written = sample.ints if sample.ints is not None and whole else sample.inputs
        attrs = {k: v(of_main) if callable(v) else v for k, v in sample.attrs.items()}
        attrs = {**{name: a.default for name, a in op.attrs.items() if name not in attrs}, **attrs}
        inputs = tuple(
            [_array(a, v, letters, attrs) for v in value] if a.variadic else _array(a, value, letters, attrs)
            for a, value in zip(op.args, written, strict=True)
        )
        yield Case(op, sample, letters, inputs, attrs)


def real(kind: DType | None) -> DType:
    """The real type of a complex type's parts; an attribute that depends on the main type."""
    assert kind is not None
    return kind.real_dtype


def declared(name: str) -> OpDef:
    """The declaration of an op."""
    return OPS[name]
