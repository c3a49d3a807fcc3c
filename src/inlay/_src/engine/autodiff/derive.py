"""Gradients of ops that declare none: JAX's, traced from the kernel, as ops of their own.

    vjp_of(op)            a gradient function that emits a derived op; its kernel is the pullback of `op`'s kernel
      under XLA           jax.vjp(kernel)
      on NumPy            the same, compiled: few ops lack a gradient of their own, so no more is done for them

A derived op declares no gradient either, so its gradient is derived in turn: any order works. TensorFlow's cotangents
of complex numbers are the conjugates of JAX's. JAX is imported on first use; 64-bit types are kept for the time of a
call, in the calling thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.types.dtypes import DType, as_dtype
from inlay._src.base.types.keys import key_of, refuse
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Effect, Inference, OpDef
from inlay._src.core.signature import Arg, Signature
from inlay._src.ops.array import zeros_like

_LOCK = new_lock()
_DERIVED: BoundedCache[tuple[OpDef, Pattern], OpDef] = BoundedCache(
    "derived gradients", 4096, lambda key: _declare(*key)
)
_COMPILED: BoundedCache[Any, Any] = BoundedCache("compiled derived gradients", 1024)


class Pattern(NamedTuple):
    """The specialization of an op's pullback.

    Attributes:
      inputs: the type of every input, the list input spread out; None for those whose values are static.
      given: the outputs that have cotangents, with their types.
    """

    inputs: tuple[DType | None, ...]
    given: tuple[tuple[int, DType], ...]

    @property
    def wanted(self) -> tuple[int, ...]:
        """The inputs whose gradients are made."""
        return tuple(i for i, d in enumerate(self.inputs) if d is not None and d.is_trainable)

    def suffix(self) -> str:
        """The pattern as part of an op's name, in TensorFlow's numbers of types."""
        taken = "_".join("s" if d is None else str(d.as_datatype_enum) for d in self.inputs)
        return f"{taken}o{'_'.join(f'{j}t{d.as_datatype_enum}' for j, d in self.given)}"


def vjp_of(opdef: OpDef) -> Callable[..., Any]:
    """The gradient of an op that declares none, whose kernel runs under `jax.numpy`.

    Raises:
      LookupError: if the op is not a pure kernel, so that nothing can be derived.
    """
    if opdef.scheduling.bind is not None or opdef.effect is not Effect.PURE:
        raise LookupError(
            f"No gradient defined for op type {opdef.name}: it is not a pure function of its inputs. Give one with "
            "tf.RegisterGradient and Graph.gradient_override_map, or tf.custom_gradient."
        )

    def vjp(record: Any, *grads: Any) -> list[Any]:
        static = _static_places(opdef, len(record.inputs))
        floating = tuple((j, y.dtype) for j, y in enumerate(record.outputs) if y.dtype.is_trainable)
        kinds = tuple(None if i in static else x.dtype for i, x in enumerate(record.inputs))
        pattern = Pattern(kinds, floating)
        wanted = pattern.wanted
        if not wanted or all(grads[j] is None for j, _ in floating):
            return [None] * len(record.inputs)
        derived = derived_op(opdef, pattern)
        cotangents = [zeros_like(record.outputs[j]) if grads[j] is None else grads[j] for j, _ in floating]
        pulled = emit(derived, (*record.inputs, *cotangents), opdef.own(record.attrs))
        gradients: list[Any] = [None] * len(record.inputs)
        for i, g in zip(wanted, pulled if len(wanted) > 1 else [pulled], strict=True):
            gradients[i] = g
        return gradients

    return vjp


def _static_places(opdef: OpDef, count: int) -> frozenset[int]:
    return frozenset(i for i, arg in enumerate(opdef.arguments(count)) if arg.static)


def derived_op(opdef: OpDef, pattern: Pattern) -> OpDef:
    """The op that pulls cotangents of `opdef` back; one object per pattern."""
    cached = _DERIVED.get((opdef, pattern))
    if cached is not None:
        return cached
    with _LOCK:
        return _DERIVED[opdef, pattern]


def _declare(opdef: OpDef, pattern: Pattern) -> OpDef:
    declared = opdef.arguments(len(pattern.inputs))
    taken = [
        arg._replace(name=f"input_{i}", type=arg.type if kind is None else kind)
        for i, (arg, kind) in enumerate(zip(declared, pattern.inputs, strict=True))
    ]
    grads = [Arg(f"grad_{j}", kind, False, False) for j, kind in pattern.given]
    return OpDef(
        f"{opdef.name}Vjp_{pattern.suffix()}",
        _Pullback(opdef, pattern).kernel,
        Signature((*taken, *grads), tuple(pattern.inputs[i] for i in pattern.wanted), letters=opdef.letters),
        opdef.attrs,
        infer=Inference(lambda s: [s.dims[i] for i in pattern.wanted]),
        doc=f"The pullback of {opdef.name}.",
    )


def named(name: str) -> OpDef:
    """The op with a derived op's name, in a process that has not differentiated it yet.

    Raises:
      KeyError: if no op has this name, or it says what no gradient can be derived from.
    """
    if name in OPS:
        return OPS[name]
    match = re.fullmatch(r"(.+)Vjp_([\ds_]+)o([\dt_]+)", name)
    if match is None:
        return OPS[name]
    base, taken, cotangents = match.groups()
    opdef = named(base)
    try:
        kinds = tuple(None if t == "s" else as_dtype(int(t)) for t in taken.split("_"))
        pairs = tuple((int(j), as_dtype(int(t))) for j, t in (part.split("t") for part in cotangents.split("_")))
    except (TypeError, ValueError):
        raise KeyError(name) from None
    fits = len(kinds) == len(opdef.args) or opdef.variadic is not None and len(kinds) >= len(opdef.args) - 1
    if opdef.scheduling.bind is not None or opdef.effect is not Effect.PURE or not fits:
        raise KeyError(name)
    return derived_op(opdef, Pattern(kinds, pairs))


class _Pullback:
    """The kernel of a derived op."""

    def __init__(self, opdef: OpDef, pattern: Pattern) -> None:
        self.opdef, self.pattern = opdef, pattern
        self.static = _static_places(opdef, len(pattern.inputs))

    def kernel(self, xp: Any, *values: Any, **attrs: Any) -> Any:
        """Gradients of the wanted inputs, given all inputs and the cotangents."""
        count = len(self.pattern.inputs)
        if xp is np:
            results = self._on_numpy(values, attrs)
        else:
            results = self._pull(values[:count], values[count:], attrs)
        return results[0] if len(results) == 1 else results

    def _pull(self, inputs: Sequence[Any], cotangents: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
        """Gradients of the wanted inputs, by JAX."""
        opdef, xp, places = self.opdef, xla.jnp(), self.pattern.wanted
        every = {**attrs, "N": len(inputs) - len(opdef.args) + 1}

        def forward(*wanted: Any) -> tuple[Any, ...]:
            full = list(inputs)
            for i, value in zip(places, wanted, strict=True):
                full[i] = value
            result = opdef.apply(xp, full, every)
            return tuple((result if opdef.many else (result,))[j] for j, _ in self.pattern.given)

        _, pull = xla.jax().vjp(forward, *[inputs[i] for i in places])
        grads = pull(tuple(xp.conj(g) if _is_complex(g) else xp.asarray(g) for g in cotangents))
        return [xp.conj(g) if _is_complex(g) else g for g in grads]

    def _on_numpy(self, values: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
        fixed = {i: values[i] for i in self.static}
        arrays = [np.asarray(v) for i, v in enumerate(values) if i not in self.static]
        key = (self, key_of(fixed, _large), key_of(attrs))
        with xla.on(xla.cpu()):
            pulled = _COMPILED.get(key)
            if pulled is None:
                pulled = _COMPILED[key] = self._compiled(arrays, fixed, attrs)
            return [np.asarray(g) for g in pulled(*arrays)]

    def _compiled(self, arrays: Sequence[Any], fixed: Mapping[int, Any], attrs: Mapping[str, Any]) -> Any:
        """The pullback as a compiled function of what is not static."""
        split = len(self.pattern.inputs) - len(fixed)

        def pulled(*values: Any) -> list[Any]:
            rest = iter(values[:split])
            inputs = [fixed[i] if i in fixed else next(rest) for i in range(len(self.pattern.inputs))]
            return self._pull(inputs, values[split:], attrs)

        try:
            xla.jax().eval_shape(pulled, *arrays)
        except Exception as error:
            raise LookupError(
                f"No gradient defined for op type {self.opdef.name}, and none could be derived: "
                f"{type(error).__name__}: {error}"
            ) from error
        return xla.compiled(pulled)


def _large(value: Any) -> Any:
    """The key of a large static array: reading it costs less than a trace."""
    if not isinstance(value, np.ndarray) or value.dtype.hasobject:
        refuse(value)
    return value.dtype, value.shape, value.tobytes()


def _is_complex(value: Any) -> bool:
    return np.dtype(value.dtype).kind == "c"
