"""Programs traced by JAX, run on NumPy.

    trace(function, specs)   jax.make_jaxpr with symbols for sizes -> Program, or None where NumPy lacks an instruction
    Program(arrays, sizes)   runs the instructions; sizes give the symbols their values

One trace serves every shape of its pattern, and nothing is compiled.
"""

from __future__ import annotations

import functools
import string
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any

import numpy as np

from inlay.interpreter.caches import Cache

Rule = Callable[..., Any]
RULES: dict[str, Rule] = {}
"""Instruction -> `rule(params, *arrays)`; sizes in `params` are numbers by then."""
INNER = {"pjit": "jaxpr", "jit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr"}
INNER |= {"custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "custom_vjp_call_jaxpr": "fun_jaxpr"}
"""Instructions that run a program of their own -> the parameter that holds it."""


def symbols(count: int) -> tuple[Any, ...]:
    """`count` sizes that stand for any number above 1."""
    from jax import export

    if not count:
        return ()
    names = [f"n{i}" for i in range(count)]
    made = export.symbolic_shape(", ".join(names), constraints=[f"{n} >= 2" for n in names])
    return tuple(made)


def trace(function: Callable[..., Any], specs: Sequence[Any], count: int) -> Program | None:
    """The program of a function of arrays with symbolic sizes; None if NumPy has no rule for an instruction."""
    import jax

    closed = jax.make_jaxpr(function)(*specs)
    return Program(closed, count) if _covered(closed.jaxpr) else None


def _covered(jaxpr: Any) -> bool:
    for eqn in jaxpr.eqns:
        name = eqn.primitive.name
        if name in INNER and INNER[name] in eqn.params:
            if not _covered(_open(eqn.params[INNER[name]])[0]):
                return False
        elif name not in RULES:
            return False
    return True


def _open(program: Any) -> tuple[Any, Sequence[Any]]:
    """(instructions, constants) of a closed or open program."""
    return (program.jaxpr, program.consts) if hasattr(program, "consts") else (program, ())


class Program:
    """A traced function that runs on NumPy arrays."""

    def __init__(self, closed: Any, count: int) -> None:
        self.body, self.consts = closed.jaxpr, [np.asarray(c) for c in closed.consts]
        self.names = [f"n{i}" for i in range(count)]
        self.kinds = [np.dtype(v.aval.dtype) for v in self.body.outvars]

    def __call__(self, arrays: Sequence[Any], sizes: Sequence[int]) -> list[Any]:
        """The results for these arrays; `sizes` are the values of the symbols."""
        env = dict(zip(self.names, map(int, sizes), strict=True))
        made = _walk(self.body, self.consts, arrays, env)
        return [np.asarray(x).astype(k, copy=False) for x, k in zip(made, self.kinds, strict=True)]


def _walk(body: Any, consts: Sequence[Any], arrays: Sequence[Any], env: Mapping[str, int]) -> list[Any]:
    cells: dict[Any, Any] = dict(zip(body.constvars, consts, strict=True))
    cells.update(zip(body.invars, arrays, strict=True))

    def read(v: Any) -> Any:
        return v.val if hasattr(v, "val") else cells[v]

    for eqn in body.eqns:
        name = eqn.primitive.name
        inputs = [read(v) for v in eqn.invars]
        if name in INNER and INNER[name] in eqn.params:
            inner, inner_consts = _open(eqn.params[INNER[name]])
            results = _walk(inner, [np.asarray(c) for c in inner_consts], inputs, env)
        else:
            made = RULES[name](_settled(eqn.params, env), *inputs)
            results = list(made) if eqn.primitive.multiple_results else [made]
        cells.update(zip(eqn.outvars, results, strict=True))
    return [read(v) for v in body.outvars]


def _settled(params: Mapping[str, Any], env: Mapping[str, int]) -> Mapping[str, Any]:
    """Parameters with their symbolic sizes as numbers."""
    return {k: size_value(v, env) for k, v in params.items()} if env else params


def size_value(value: Any, env: Mapping[str, int]) -> Any:
    """A parameter with every symbolic size in it replaced by its number."""
    if value.__class__ is tuple:
        return tuple(size_value(v, env) for v in value)
    if value.__class__ in (int, str, bool, type(None)) or isinstance(value, (np.dtype, np.generic, type)):
        return value
    from jax import export

    return eval(_SIZES[str(value)], _SIZE_FUNCTIONS, dict(env)) if export.is_symbolic_dim(value) else value


def _floordiv(a: int, b: int) -> int:
    return a // b


_SIZE_FUNCTIONS: dict[str, Any] = {
    "__builtins__": {},
    "floordiv": _floordiv,
    "mod": lambda a, b: a % b,
    "max": max,
    "min": min,
    "non_negative": lambda a: max(a, 0),
}


def _size_code(text: str) -> CodeType:
    """A printed size such as `2*n0 + 1` as code; `^` is a power."""
    return compile(text.replace("^", "**"), "<size>", "eval")


_SIZES: Cache[str, CodeType] = Cache("symbolic sizes as code", 4096, _size_code)


# ---------------------------------------------------------------- rules


def _rule(name: str) -> Callable[[Rule], Rule]:
    def add(function: Rule) -> Rule:
        RULES[name] = function
        return function

    return add


def _elementwise(table: Mapping[str, Callable[..., Any]]) -> None:
    for name, function in table.items():
        RULES[name] = functools.partial(_apply, function)


def _apply(function: Callable[..., Any], params: Mapping[str, Any], *arrays: Any) -> Any:
    return function(*arrays)


def _logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _divide(a: Any, b: Any) -> Any:
    """Integers are divided towards zero."""
    if np.dtype(a.dtype).kind not in "iu":
        return np.divide(a, b)
    return (a - np.fmod(a, b)) // b


_SAME_NAME = (
    "abs sign exp exp2 expm1 log log1p sqrt cbrt square sin cos tan sinh cosh tanh floor ceil real imag nextafter"
)
_elementwise({name: getattr(np, name) for name in _SAME_NAME.split()})
_elementwise({
    "add": np.add, "add_any": np.add, "sub": np.subtract, "mul": np.multiply, "div": _divide, "rem": np.fmod,
    "neg": np.negative, "pow": np.power, "max": np.maximum, "min": np.minimum,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert,
    "is_finite": np.isfinite, "logistic": _logistic, "rsqrt": lambda x: 1 / np.sqrt(x),
    "complex": lambda re, im: re + im * np.result_type(re, np.complex64).type(1j),
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
    "copy": np.array, "copy_p": np.array, "stop_gradient": np.asarray, "optimization_barrier": lambda *x: x,
})  # fmt: skip


@_rule("conj")
def _conj(params: Mapping[str, Any], x: Any) -> Any:
    dtype = np.dtype(x.dtype)
    return np.conj(x) if dtype.kind == "c" else x + np.result_type(dtype, np.complex64).type(0)


@_rule("integer_pow")
def _integer_pow(params: Mapping[str, Any], x: Any) -> Any:
    y = params["y"]
    return x**y if y >= 0 else 1 / x**-y


@_rule("round")
def _round(params: Mapping[str, Any], x: Any) -> Any:
    if int(params["rounding_method"]) == 1:
        return np.rint(x)
    return np.where(np.abs(x - np.trunc(x)) == 0.5, np.trunc(x) + np.sign(x), np.rint(x))


@_rule("select_n")
def _select(params: Mapping[str, Any], which: Any, *cases: Any) -> Any:
    if np.dtype(which.dtype).kind == "b":
        return np.where(which, cases[-1], cases[0])
    return np.choose(which, cases)


@_rule("convert_element_type")
def _convert(params: Mapping[str, Any], x: Any) -> Any:
    x, want = np.asarray(x), np.dtype(params["new_dtype"])
    return (np.real(x) if x.dtype.kind == "c" and want.kind != "c" else x).astype(want)


@_rule("dim_as_value")
def _dim_as_value(params: Mapping[str, Any]) -> Any:
    return np.int64(params["dim"])


@_rule("broadcast_in_dim")
def _broadcast_in_dim(params: Mapping[str, Any], x: Any, *sizes: Any) -> Any:
    shape = params["shape"]
    inner = [1] * len(shape)
    for axis, size in zip(params["broadcast_dimensions"], np.shape(x), strict=True):
        inner[axis] = size
    return np.broadcast_to(np.reshape(x, inner), shape)


@_rule("reshape")
def _reshape(params: Mapping[str, Any], x: Any, *sizes: Any) -> Any:
    return np.reshape(x, params["new_sizes"])


@_rule("squeeze")
def _squeeze(params: Mapping[str, Any], x: Any) -> Any:
    return np.squeeze(x, tuple(params["dimensions"]))


@_rule("transpose")
def _transpose(params: Mapping[str, Any], x: Any) -> Any:
    return np.transpose(x, params["permutation"])


@_rule("rev")
def _reverse(params: Mapping[str, Any], x: Any) -> Any:
    return np.flip(x, tuple(params["dimensions"]))


@_rule("concatenate")
def _concatenate(params: Mapping[str, Any], *arrays: Any) -> Any:
    return np.concatenate(arrays, params["dimension"])


@_rule("slice")
def _slice(params: Mapping[str, Any], x: Any) -> Any:
    steps = params["strides"] or (1,) * np.ndim(x)
    return x[tuple(map(slice, params["start_indices"], params["limit_indices"], steps))]


@_rule("pad")
def _pad(params: Mapping[str, Any], x: Any, value: Any) -> Any:
    config = params["padding_config"]
    shape = [max(low + high + n + max(n - 1, 0) * gap, 0) for (low, high, gap), n in zip(config, x.shape, strict=True)]
    out = np.full(shape, value, x.dtype)
    inside, outside = [], []
    for (low, _, gap), n, size in zip(config, x.shape, shape, strict=True):
        places = low + np.arange(n) * (gap + 1)
        keep = (places >= 0) & (places < size)
        inside.append(np.flatnonzero(keep))
        outside.append(places[keep])
    out[np.ix_(*outside)] = x[np.ix_(*inside)]
    return out


@_rule("iota")
def _iota(params: Mapping[str, Any], *sizes: Any) -> Any:
    shape, axis = params["shape"], params["dimension"]
    line = np.arange(shape[axis]).astype(params["dtype"])
    return np.broadcast_to(line.reshape([-1 if i == axis else 1 for i in range(len(shape))]), shape)


def _reduction(function: Callable[..., Any], typed: bool) -> Rule:
    def rule(params: Mapping[str, Any], x: Any) -> Any:
        keywords = {"dtype": x.dtype} if typed else {}
        return function(x, axis=tuple(params["axes"]), **keywords)

    return rule


RULES["reduce_sum"] = _reduction(np.sum, True)
RULES["reduce_prod"] = _reduction(np.prod, True)
RULES["reduce_max"] = _reduction(np.max, False)
RULES["reduce_min"] = _reduction(np.min, False)
RULES["reduce_and"] = _reduction(np.all, False)
RULES["reduce_or"] = _reduction(np.any, False)


def _running(function: Callable[..., Any]) -> Rule:
    def rule(params: Mapping[str, Any], x: Any) -> Any:
        axis = params["axis"]
        if params["reverse"]:
            return np.flip(function(np.flip(x, axis), axis=axis), axis)
        return function(x, axis=axis)

    return rule


RULES["cumsum"] = _running(np.add.accumulate)
RULES["cumprod"] = _running(np.multiply.accumulate)
RULES["cummax"] = _running(np.maximum.accumulate)
RULES["cummin"] = _running(np.minimum.accumulate)


@_rule("argmax")
def _argmax(params: Mapping[str, Any], x: Any) -> Any:
    return np.argmax(x, axis=params["axes"][0]).astype(params["index_dtype"])


@_rule("argmin")
def _argmin(params: Mapping[str, Any], x: Any) -> Any:
    return np.argmin(x, axis=params["axes"][0]).astype(params["index_dtype"])


@_rule("dot_general")
def _dot_general(params: Mapping[str, Any], a: Any, b: Any) -> Any:
    (left, right), (batch_left, batch_right) = params["dimension_numbers"]
    of_a = list(string.ascii_lowercase[: np.ndim(a)])
    of_b = list(string.ascii_uppercase[: np.ndim(b)])
    for i, j in zip((*left, *batch_left), (*right, *batch_right), strict=True):
        of_b[j] = of_a[i]
    lead = [of_a[i] for i in batch_left]
    rest = [c for i, c in enumerate(of_a) if i not in (*left, *batch_left)]
    rest += [c for j, c in enumerate(of_b) if j not in (*right, *batch_right)]
    equation = f"{''.join(of_a)},{''.join(of_b)}->{''.join(lead + rest)}"
    wanted = params.get("preferred_element_type")
    made = np.einsum(equation, a, b, optimize=True)
    return made if wanted is None else made.astype(wanted)
