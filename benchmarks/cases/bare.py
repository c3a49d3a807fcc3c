"""The same work as a row's without a library: a loop of Python, NumPy and copies that the row may not omit.

A row as a multiple of its bare loop means the same on every machine and beside every version of a peer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.cases import everyday, forms
from benchmarks.timing import Builder, Timed, loop

ONES = np.ones(4, np.float32)


def _unchanged(value: Any) -> Any:
    return value


def _square(value: Any) -> Any:
    return value * value


def _square_gradient(value: Any) -> Any:
    return value * value, value * np.float32(2)


# ---------------------------------------------------------------- calls


def _call(body: Callable[..., Any], copied: bool = True) -> Builder:
    """One call of a body with an array, copied if the body may write into it."""
    if copied:
        return lambda tf: loop(lambda: body(ONES.copy()))
    return lambda tf: loop(lambda: body(ONES))


def _chain(_: Any) -> Timed:
    """50 calls in a row; the first argument is a copy, each other is the result before it."""

    def call() -> Any:
        value = ONES.copy()
        for _ in range(50):
            value = _unchanged(value)
        return value

    return loop(call)


def _wide(_: Any) -> Timed:
    """100 calls, each with a copy of its own."""
    return loop(lambda: [_unchanged(ONES.copy()) for _ in range(100)])


def _log_huber(_: Any) -> Timed:
    def call(x: Any, m: Any) -> Any:
        if abs(x) <= m:
            return x**2, 2 * x
        return m**2 * (1 - 2 * np.log(m) + np.log(x**2)), m**2 * 2 / x

    x, m = np.float32(3), np.float32(2)
    return loop(lambda: call(x, m))


def _sines(size: int) -> Builder:
    def build(_: Any) -> Timed:
        x = np.linspace(0, 1, size, dtype=np.float32)

        def call() -> Any:
            y = np.sin(x)
            np.add(y, np.float32(1), y)
            for _ in range(49):
                np.add(np.sin(y, y), np.float32(1), y)
            return y

        return loop(call)

    return build


def _thousands(_: Any) -> Timed:
    """5,000 calls and sums by turns."""

    def call() -> Any:
        value = ONES.copy()
        for _ in range(5000):
            value = _unchanged(value) + np.float32(1)
        return value

    return loop(call)


def _large(copies: int) -> Builder:
    """256 MB, copied once or not at all, through two bodies."""

    def build(_: Any) -> Timed:
        array = np.ones(64 * 1024 * 1024, np.float32)
        return loop(lambda: _unchanged(_unchanged(array.copy() if copies else array))[-1])

    return build


def _form(family: str, form: forms.Form, tf: Any) -> Timed:
    """The body of a form in a loop: an array is copied, an eager tensor is passed as it is."""
    body = forms.swapped if len(form.inputs) == 2 else forms.plain
    if family == "py_function":
        tensors = [tf.constant(value) for value in form.inputs]
        return loop(lambda: body(*tensors))
    arrays = [np.asarray(value) for value in form.inputs]
    if form.name == "no_copy":
        return loop(lambda: body(*arrays))
    return loop(lambda: body(*[array.copy() for array in arrays]))


# ---------------------------------------------------------------- ops


class Numbers(dict[str, Any]):
    """The arrays of `everyday.values`, made by a `tf` whose tensors are arrays."""

    def __init__(self) -> None:
        super().__init__(everyday.values(self))

    def constant(self, value: Any) -> Any:
        return np.asarray(value)


def _softmax(x: Any) -> Any:
    x = np.exp(x - x.max(-1, keepdims=True))
    x /= x.sum(-1, keepdims=True)
    return x


def _cross_entropy(labels: Any, x: Any) -> Any:
    x = x - x.max(-1, keepdims=True)
    return np.log(np.exp(x).sum(-1)) - x[np.arange(len(x)), labels]


_RANDOM = np.random.default_rng(0)
OPS: dict[str, Callable[[Any], Any]] = {
    "cast": lambda v: v["x"].astype(np.int32),
    "reshape": lambda v: v["x"].reshape(8, 8),
    "shape": lambda v: np.array(v["m"].shape, np.int32),
    "size": lambda v: np.int32(v["m"].size),
    "constant": lambda v: np.array([1.0, 2.0, 3.0], np.float32),
    "concat": lambda v: np.concatenate([v["x"], v["y"]], 0),
    "stack": lambda v: np.stack([v["x"], v["y"]]),
    "unstack": lambda v: list(v["m"]),
    "expand_dims": lambda v: v["x"][None],
    "squeeze": lambda v: v["x"].squeeze(),
    "gather": lambda v: v["m"].take(v["rows"], 0),
    "gather_nd": lambda v: v["m"][tuple(v["pairs"].T)],
    "where": lambda v: np.where(v["b"], v["x"], v["y"]),
    "argmax": lambda v: v["m"].argmax(1),
    "zeros": lambda v: np.zeros([8, 8], np.float32),
    "ones": lambda v: np.ones([8, 8], np.float32),
    "zeros_like": lambda v: np.zeros_like(v["x"]),
    "fill": lambda v: np.full([8, 8], 3.0, np.float32),
    "range": lambda v: np.arange(everyday.SMALL, dtype=np.int32),
    "tile": lambda v: np.tile(v["x"], [2]),
    "transpose": lambda v: v["m"].transpose(),
    "split": lambda v: np.split(v["x"], 4),
    "slice": lambda v: v["m"][1:4, 1:4],
    "index": lambda v: v["m"][1:, ::2],
    "pad": lambda v: np.pad(v["m"], [[1, 1], [1, 1]]),
    "one_hot": lambda v: (v["i"][:, None] == np.arange(8)).astype(np.float32),
    "equal": lambda v: v["x"] == v["y"],
    "greater": lambda v: v["x"] > v["y"],
    "logical_and": lambda v: np.logical_and(v["b"], v["b"]),
    "add": lambda v: v["x"] + v["y"],
    "multiply": lambda v: v["x"] * np.float32(2),
    "divide": lambda v: v["x"] / v["y"],
    "pow": lambda v: v["x"] ** np.float32(2),
    "square": lambda v: np.square(v["x"]),
    "sqrt": lambda v: np.sqrt(v["x"]),
    "exp": lambda v: np.exp(v["x"]),
    "log": lambda v: np.log(v["x"]),
    "abs": lambda v: np.abs(v["x"]),
    "maximum": lambda v: np.maximum(v["x"], v["y"]),
    "clip_by_value": lambda v: v["x"].clip(np.float32(0.2), np.float32(0.8)),
    "matmul": lambda v: v["m"] @ v["m"],
    "einsum": lambda v: v["m"] @ v["m"],
    "reduce_sum": lambda v: v["m"].sum(1),
    "reduce_mean": lambda v: v["m"].mean(),
    "reduce_max": lambda v: v["m"].max(0),
    "reduce_all": lambda v: v["b"].all(),
    "cumsum": lambda v: v["x"].cumsum(),
    "top_k": lambda v: v["x"].argsort()[:-6:-1],
    "sigmoid": lambda v: 1 / (1 + np.exp(-v["x"])),
    "tanh": lambda v: np.tanh(v["x"]),
    "relu": lambda v: np.maximum(v["x"], 0),
    "softmax": lambda v: _softmax(v["m"]),
    "cross_entropy": lambda v: _cross_entropy(v["labels"], v["m"]),
    "random_uniform": lambda v: _RANDOM.random(4, np.float32),
    "boolean_mask": lambda v: v["x"][v["b"]],
}


def _op(call: Callable[[Any], Any], _: Any) -> Timed:
    arrays = Numbers()
    return loop(lambda: call(arrays))


# ---------------------------------------------------------------- loops and training


def _turns(count: int, body: Callable[[Any], Any], copied: bool = False) -> Builder:
    """A loop of `count` turns over an array of 4 numbers."""

    def build(_: Any) -> Timed:
        def call() -> Any:
            value = ONES
            for _ in range(count):
                value = body(value.copy() if copied else value)
            return value

        return loop(call)

    return build


def _rows(combine: Callable[[Any, Any], Any]) -> Builder:
    """A loop over 100 rows of 4 numbers, whose results are stacked."""

    def build(_: Any) -> Timed:
        rows = np.ones((100, 4), np.float32)

        def call() -> Any:
            state, out = rows[0], np.empty_like(rows)
            for k, row in enumerate(rows):
                out[k] = state = combine(state, row)
            return out

        return loop(call)

    return build


_HALF, _LESS, _MORE = np.float32(0.5), np.float32(0.9), np.float32(1.01)


def _nested(_: Any) -> Timed:
    def call() -> Any:
        x = ONES
        for i in range(10):
            for j in range(10):
                x = x + np.float32(1) if i < j else x * _HALF
        return x

    return loop(call)


def _adam(count: int, side: int) -> Builder:
    """Adam's rule over some variables, and the gradient of the sum of squares."""

    def build(_: Any) -> Timed:
        variables = [[np.zeros((side, side), np.float32) for _ in range(3)] for _ in range(count)]

        def call() -> None:
            for w, m, v in variables:
                gradient = (w - np.float32(1)) * np.float32(2)
                m += (gradient - m) * np.float32(0.1)
                v += (gradient * gradient - v) * np.float32(0.001)
                w -= np.float32(0.001) * m / (np.sqrt(v) + np.float32(1e-8))

        return loop(call)

    return build


def _layers(_: Any) -> Timed:
    """Two layers, the cross entropy's gradients, and a step."""
    rand = np.random.default_rng(6)
    x, y, each = rand.standard_normal((32, 20), np.float32), rand.integers(0, 5, 32), np.arange(32)
    w, u = (rand.standard_normal(shape).astype(np.float32) * np.float32(0.1) for shape in ((20, 50), (50, 5)))

    def call() -> Any:
        hidden = np.maximum(x @ w, 0)
        shares = _softmax(hidden @ u)
        loss = -np.log(shares[each, y]).mean()
        shares[each, y] -= 1
        shares /= np.float32(32)
        back = (shares @ u.T) * (hidden > 0)
        np.subtract(u, hidden.T @ shares * np.float32(0.1), u)
        np.subtract(w, x.T @ back * np.float32(0.1), w)
        return loss

    return loop(call)


BARE: dict[str, Builder] = {
    "session_py_func": _call(_unchanged),
    "session_py_func_chain": _chain,
    "session_py_func_wide": _wide,
    "session_py_function": _call(_square, False),
    "session_py_function_gradient": _call(_square_gradient, False),
    "session_log_huber_gradient": _log_huber,
    "function_numpy_function": _call(_unchanged),
    "function_py_function": _call(_square, False),
    "eager_numpy_function": _call(_unchanged),
    "eager_py_function": _call(_square, False),
    "eager_py_function_gradient": _call(_square_gradient, False),
    "eager_add": _call(lambda value: value + value, False),
    "eager_tape_multiply": _call(_square_gradient, False),
    "sine_chain_4": _sines(4),
    "sine_chain_1e6": _sines(1_000_000),
    "run_10000": _thousands,
    "large_default": _large(1),
    "large_aligned": _large(1),
    "large_without_copy": _large(0),
    **{forms.case_name(form, family, way): partial(_form, family, form) for form, family, way in forms.combinations()},
    **{f"op_{name}": partial(_op, call) for name, call in OPS.items()},
    "loop_session": _turns(100, lambda x: x + np.float32(1)),
    "loop_session_host": _turns(100, lambda x: _unchanged(x) + np.float32(1), True),
    "loop_session_gradient": _turns(200, lambda x: x * _MORE),
    "loop_function": _turns(100, lambda x: x + np.float32(1)),
    "loop_map_fn_host": _rows(lambda state, row: _unchanged(row.copy())),
    "loop_scan": _rows(np.add),
    "loop_foldl": _rows(lambda state, row: state * _HALF + row),
    "loop_nested": _nested,
    "loop_array": _rows(np.add),
    "loop_rows_gradient": _rows(lambda state, row: (state * _LESS + row * row) * _LESS + row * row),
    "loop_tape": _turns(200, lambda x: x * _MORE),
    "loop_eager": _turns(20, lambda x: x + np.float32(1)),
    "train_adam": _adam(1, 100),
    "train_session": _layers,
    "train_tape": _layers,
    "train_adam_many": _adam(everyday.MANY, 10),
    "train_adam_eager": _adam(everyday.MANY, 10),
    "train_function": _layers,
}
"""The case of a row -> the builder of its bare loop."""


def case_of(case: str) -> str:
    """The name of the bare loop of a case, "" if it has none."""
    return f"{case}_bare" if case in BARE else ""


CASES = {case_of(case): builder for case, builder in BARE.items()}
