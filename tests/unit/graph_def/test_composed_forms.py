"""Ops that TensorFlow lacks, written as ops that it has: models without an op of inlay, with the same values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.export import load_all
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.programs.graph_def import row_forms


def emitted(op: str, *inputs: Any, **attrs: Any) -> Any:
    """The results of an op of inlay."""
    load_all()
    return emit(OPS[op], inputs, attrs)


def model(function: Callable[..., Any], inputs: list[np.ndarray], open_shapes: bool) -> Any:
    """A model with a function, and with the gradients of its results by the inputs that have one."""
    tensors = [tf.constant(x) for x in inputs]
    dims = [[None] * x.ndim if open_shapes else list(x.shape) for x in inputs]
    specs = [tf.TensorSpec(d, t.dtype) for d, t in zip(dims, tensors, strict=True)]
    module = tf.Module()

    def run(*values: Any) -> list[Any]:
        results = function(*values)
        return list(results) if isinstance(results, (list, tuple)) else [results]

    def slopes(*values: Any) -> list[Any]:
        sources = [v for v in values if v.dtype.is_floating or v.dtype.is_complex]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            results = [r for r in run(*values) if r.dtype.is_floating or r.dtype.is_complex]
            total = tf.add_n([tf.cast(tf.reduce_sum(tf.sin(tf.math.real(r))), tf.float64) for r in results])
        return list(tape.gradient(total, sources, unconnected_gradients="zero"))

    module.run = tf.function(run, input_signature=specs, autograph=False)
    if any(t.dtype.is_floating for t in tensors) and any(r.dtype.is_floating for r in run(*tensors)):
        module.slopes = tf.function(slopes, input_signature=specs, autograph=False)
    return module


def check(
    tmp_path: Path, function: Callable[..., Any], *inputs: Any, open_shapes: bool = False, once: bool = False
) -> None:
    """Saves a model, which has no op of inlay, loads it again, and compares values and gradients."""
    arrays = [np.asarray(x, object if isinstance(x, bytes) else None) for x in inputs]
    tensors = [tf.constant(x) for x in arrays]
    module = model(function, arrays, open_shapes)
    if once and hasattr(module, "slopes"):  # a gradient that is itself differentiated by rules of its kernel
        del module.slopes
    tf.saved_model.save(module, str(tmp_path / "model"))
    assert b"Inlay>" not in (tmp_path / "model" / "saved_model.pb").read_bytes()
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    for name in ("run", "slopes"):
        if hasattr(module, name):
            pairs = zip(getattr(loaded, name)(*tensors), getattr(module, name)(*tensors), strict=True)
            for got, expected in (map(tf.convert_to_tensor, pair) for pair in pairs):
                assert got.dtype == expected.dtype
                np.testing.assert_array_equal(got.shape, expected.shape)
                if got.dtype == tf.string:
                    np.testing.assert_array_equal(got.numpy(), expected.numpy())
                else:
                    np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=2e-5, atol=2e-5)


X = np.linspace(-1.0, 1.3, 12, dtype=np.float32).reshape(3, 4)
CUBE = np.cos(np.arange(24, dtype=np.float64)).reshape(2, 3, 4)
SPLITS = np.array([0, 2, 2, 3], np.int64)
Case = tuple[Callable[..., Any], list[Any]]


def _gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient of a function, as ops of a graph."""

    def slopes(x: Any, *others: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(tf.sin(function(x, *others)))
        return tape.gradient(total, x, unconnected_gradients="zero")

    return slopes


CASES: dict[str, Case] = {
    "sort": (lambda x: tf.sort(x), [X]),
    "sort integers": (lambda x: tf.sort(x, axis=0), [np.array([[3, 1], [-7, 1], [2, 2]], np.int64)]),
    "sort unsigned": (lambda x: tf.sort(x), [np.array([3, 255, 0], np.uint8)]),
    "sort down": (lambda x: tf.sort(x, axis=-2, direction="DESCENDING"), [CUBE]),
    "sort nothing": (lambda x: tf.sort(x), [np.zeros((2, 0), np.float32)]),
    "argsort with equals": (lambda x: tf.argsort(x), [np.array([2.0, 1.0, 2.0, 1.0])]),
    "stitch": (lambda x: tf.dynamic_stitch([[0, 2], [1, 0]], [x[:2], x[1:3]]), [X]),
    "stitch with gaps": (lambda x: emitted("Stitch", tf.constant([4, 1, 4]), x), [X]),
    "prod": (_gradient(lambda x: tf.reduce_prod(x, 1)), [X]),
    "prod of zeros": (_gradient(lambda x: tf.reduce_prod(x, [0, -1])), [CUBE * (CUBE > 0)]),
    "prod of all": (_gradient(lambda x: tf.reduce_prod(x)), [X]),
    "prod of nothing": (_gradient(lambda x: tf.reduce_prod(x, 0)), [np.zeros((0, 3), np.float32)]),
    "cumprod": (_gradient(lambda x: tf.math.cumprod(x, 1)), [X]),
    "cumprod exclusive": (_gradient(lambda x: tf.math.cumprod(x, -2, exclusive=True, reverse=True)), [CUBE]),
    "cumprod of nothing": (_gradient(lambda x: tf.math.cumprod(x, 0)), [np.zeros((0, 3), np.float32)]),
    "gather": (_gradient(lambda x: tf.gather(x, [2, 0, 2])), [X]),
    "gather columns": (_gradient(lambda x: tf.gather(x, tf.constant([[1, 0], [1, 1]], tf.int64), axis=-1)), [CUBE]),
    "gather in batches": (_gradient(lambda x, i: tf.gather(x, i, axis=2, batch_dims=1)), [CUBE, [[1, 1], [3, 0]]]),
    "gather nothing": (_gradient(lambda x, i: tf.gather(x, i, axis=1)), [X, np.zeros(0, np.int64)]),
    "gather_nd": (_gradient(lambda x: tf.gather_nd(x, [[0, 1], [0, 1], [2, 3]])), [X]),
    "gather_nd in batches": (
        lambda x, i: (tf.gather_nd(x, i, batch_dims=1), _gradient(lambda v: tf.gather_nd(v, i, batch_dims=1))(x)),
        [CUBE, np.array([[[2, 1]], [[0, 0]]], np.int64)],
    ),
    "mirror": (_gradient(lambda x: tf.pad(x, [[1, 1], [0, 2]], "REFLECT")), [X]),
    "resize": (_gradient(lambda x: tf.image.resize(x, [4, 5])), [CUBE.astype(np.float32)]),
    "resize nearest": (_gradient(lambda x: tf.image.resize(x, [4, 5], "nearest")), [CUBE.astype(np.float32)]),
    "resize bicubic": (_gradient(lambda x: tf.image.resize(x, [4, 5], "bicubic")), [CUBE.astype(np.float32)]),
    "slice added": (_gradient(lambda x: x[1:, ::2] * x[:-1, 1::2]), [X]),
    "searchsorted": (lambda x, v: tf.searchsorted(x, v), [np.sort(X), X]),
    "searchsorted right": (
        lambda x, v: tf.searchsorted(x, v, side="right", out_type=tf.int64),
        [np.array([1, 1, 4], np.int64), np.array([0, 1, 5], np.int64)],
    ),
    "searchsorted cube": (lambda x, v: tf.searchsorted(x, v), [np.sort(CUBE), CUBE]),
    "searchsorted nothing": (lambda x, v: tf.searchsorted(x, v), [np.zeros((2, 3)), np.zeros((2, 0))]),
    "bytes": (lambda s: emitted("BytesSplit", s), [np.array([b"abc", b"", b"z"], object)]),
    "no bytes": (lambda s: emitted("BytesSplit", s), [np.zeros(0, object)]),
    "code points": (
        lambda s: tf.strings.unicode_decode_with_offsets(s, "UTF-8")[1].values,
        [np.array(["aé".encode(), b""], object)],
    ),
    "padded": (lambda v: emitted("RowsToPadded", v, SPLITS, tf.constant(0.5), [-1, -1]), [X[0, :3]]),
    "padded and cut": (lambda v: emitted("RowsToPadded", v, SPLITS, tf.constant(0.5), [4, 1]), [X[:, :2]]),
    "padded text": (
        lambda v: emitted("RowsToPadded", v, SPLITS, tf.constant(b"-"), [-1, 3]),
        [np.array([b"a", b"b", b"c"], object)],
    ),
    "padded nothing": (
        lambda v, s: emitted("RowsToPadded", v, s, tf.constant(0.0), [-1, -1]),
        [np.zeros(0, np.float32), np.array([0], np.int64)],
    ),
    "rows of padded": (lambda d: emitted("PaddedToRows", d, SPLITS), [X]),
    "rows of smaller": (lambda d: emitted("PaddedToRows", d, SPLITS), [X[:2, :1]]),
    "rows gathered": (lambda s: emitted("RowGather", s, tf.constant([2, 0, 1, 0], tf.int64)), [SPLITS]),
    "no rows gathered": (lambda s: emitted("RowGather", s, tf.zeros([0], tf.int64)), [SPLITS]),
    "row positions": (
        lambda s: emitted("RowPositions", s, tf.constant([2, 0], tf.int64), tf.constant([0, 1], tf.int64)),
        [SPLITS],
    ),
    "rows by number": (lambda i: emitted("RowsByNumber", i, tf.constant(4)), [np.array([2, 0, 2, 3], np.int32)]),
    "split ends": (lambda n: emitted("SplitEnds", n, tf.constant(3, tf.int64), num=3), [np.array(6, np.int64)]),
    "split sizes": (
        lambda n: emitted("SplitEnds", n, tf.constant([1, 5], tf.int64), num=2),
        [np.array(6, np.int64)],
    ),
    "sparse order": (
        lambda i: emitted("SparseOrder", i, tf.constant([9, 9], tf.int64)),
        [np.array([[1, 2], [0, 5], [1, 0], [0, 5]], np.int64)],
    ),
    "sparse groups": (
        lambda i: emitted("SparseGroups", i),
        [np.array([[1, 2], [0, 5], [1, 2], [0, 1]], np.int64)],
    ),
    "no sparse groups": (lambda i: emitted("SparseGroups", i), [np.zeros((0, 2), np.int64)]),
    "sparse beside dense": (
        lambda i: emitted("SparseBesideDense", i, tf.constant([2, 3], tf.int64), tf.constant([1], tf.int64)),
        [np.array([[1, 2], [0, 1]], np.int64)],
    ),
    "sparse shapes": (
        lambda s: emitted("SparseConcatShape", s, [s + 1], axis=-1, expand=True),
        [np.array([2, 3], np.int64)],
    ),
    "shuffle": (lambda x: tf.random.experimental.stateless_shuffle(x, [1, 2]), [np.arange(9)]),
    "pinv": (lambda x: tf.linalg.pinv(x), [X[:, :2] + np.eye(3, 2, dtype=np.float32) * 3]),
    "singular values": (lambda x: tf.linalg.svd(x, compute_uv=False), [X[:, :2] + np.eye(3, 2, dtype=np.float32)]),
    "expm": (lambda x: tf.linalg.expm(x), [np.stack([CUBE[0, :, :3], CUBE[1, :, :3] * 9])]),
    "qr": (
        _gradient(lambda x: tf.linalg.matmul(*tf.linalg.qr(x)) + tf.linalg.qr(x)[1][:, :1]),
        [CUBE[:, :, :2] + np.eye(3, 2)],
    ),
    "jpeg": (lambda s: emitted("IsJpeg", s), [b"\xff\xd8\xffabc"]),
    "no jpeg": (lambda s: emitted("IsJpeg", s), [b""]),
    "rfft": (lambda x: tf.abs(tf.signal.rfft(x, [6])), [X]),
    "irfft": (lambda x: tf.signal.irfft(tf.cast(x, tf.complex64), [9]), [X]),
    "responses": (_gradient(lambda x: tf.nn.lrn(x[tf.newaxis])), [CUBE.astype(np.float32)]),
    "take along axis": (lambda x, i: tf.experimental.numpy.take_along_axis(x, i, 1), [X, [[-1], [0], [2]]]),
    "joined text": (
        lambda s: tf.strings.reduce_join(s, separator="-"),
        [np.array([[b"a", b"b"], [b"", b"c"]], object)],
    ),
    "bytes of a length": (lambda s: tf.io.decode_raw(s, tf.uint8, fixed_length=3), [np.array([b"abcd", b"x"], object)]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_form_gives_the_values_and_the_gradients_of_its_op(tmp_path: Path, name: str) -> None:
    function, inputs = CASES[name]
    check(tmp_path, function, *inputs, once=name.startswith(ONCE))


ONCE = ("prod", "responses", "qr")
OPEN = (
    "sort",
    "stitch",
    "prod",
    "cumprod",
    "gather",
    "gather columns",
    "gather in batches",
    "mirror",
    "padded",
    "pinv",
)


@pytest.mark.parametrize("name", OPEN)
def test_a_form_serves_inputs_whose_sizes_are_not_known(tmp_path: Path, name: str) -> None:
    function, inputs = CASES[name]
    check(tmp_path, function, *inputs, open_shapes=True, once=name.startswith(ONCE))


BOUND = np.iinfo(np.int64).min


@pytest.mark.parametrize("start", [BOUND, 0, -2, 5])
@pytest.mark.parametrize("stop", [BOUND, 1, -1])
@pytest.mark.parametrize("step", [1, 2, -1, -2])
def test_rows_are_sliced_as_lists(start: int, stop: int, step: int) -> None:
    splits = tf.constant([0, 3, 3, 8, 9], tf.int64)
    bounds = [tf.constant(v, tf.int64) for v in (start, stop, step)]
    expected = emitted("RowSlice", splits, *bounds)
    for got, wanted in zip(row_forms._rows_sliced({}, splits, *bounds), expected, strict=True):
        np.testing.assert_array_equal(got.numpy(), wanted.numpy())


# ---------------------------------------------------------------- gradients of calls, branches and loops


def _loop(x: Any, limit: int | None = None) -> Any:
    return tf.while_loop(
        lambda i, a: i < 4, lambda i, a: (i + 1, tf.tanh(a) + 0.5 * a), (0, x), maximum_iterations=limit
    )[1]


def _nested(x: Any) -> Any:
    def turn(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: _loop(a), lambda: a * 0.7)

    return tf.while_loop(lambda i, a: i < 3, turn, (0, x))[1]


def _several(x: Any) -> Any:
    i, a, b = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * b, b + a), (0, x, x * 0.5))
    return [tf.cast(i, tf.float32) * a, b]


def _outside(x: Any) -> Any:
    w = tf.sin(x)
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * w + x), (0, x))[1]


def _array(x: Any) -> Any:
    items = tf.TensorArray(tf.float32, size=3)

    def turn(i: Any, last: Any, out: Any) -> Any:
        return i + 1, last * 0.5 + x[i], out.write(i, last * x[i])

    return tf.while_loop(lambda i, *_: i < 3, turn, (0, tf.zeros_like(x[0]), items))[2].stack()


def _call(x: Any) -> Any:
    inner = tf.function(lambda a, b: (tf.tanh(a) * b, a + b), autograph=False)
    one, other = inner(x, x * 0.5)
    return one - other * inner(x, x)[1]


def _asserted(x: Any) -> Any:
    with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(x < 1e9), [x]), tf.no_op()]):
        return tf.identity(x)


CONTROL: dict[str, Callable[[Any], Any]] = {
    "loop": _loop,
    "loop with a limit": lambda x: _loop(x, 2),
    "loop in a branch in a loop": _nested,
    "loop with several results": _several,
    "loop around tensors": _outside,
    "loop with a list": _array,
    "map": lambda x: tf.map_fn(lambda row: row * tf.reduce_max(row), x),
    "scan": lambda x: tf.scan(lambda a, row: a * 0.3 + row, x),
    "branches": lambda x: tf.switch_case(tf.constant(1), [lambda: x, lambda: tf.exp(-x * x), lambda: x * 2.0]),
    "call": _call,
    "branches before an assertion": lambda x: _asserted(
        tf.switch_case(tf.constant(1), [lambda: x, lambda: tf.exp(-x * x)])
    ),
    "loop before an assertion": lambda x: _asserted(_loop(x)),
    "no turn": lambda x: tf.while_loop(lambda i, a: i < 0, lambda i, a: (i + 1, tf.sin(a)), (0, x))[1],
}


@pytest.mark.parametrize("name", CONTROL)
def test_a_gradient_of_control_flow_is_written_as_ops(tmp_path: Path, name: str) -> None:
    check(tmp_path, CONTROL[name], X)


@pytest.mark.parametrize("after", [lambda x: x, _asserted])
def test_a_gradient_by_a_variable_in_a_loop_is_written_as_ops(tmp_path: Path, after: Callable[[Any], Any]) -> None:
    module = tf.Module()
    module.v = tf.Variable(tf.constant(X))

    def slopes(x: Any) -> Any:
        with tf.GradientTape() as tape:
            result = after(tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * module.v + x), (0, x))[1])
            total = tf.reduce_sum(tf.sin(result))
        return tape.gradient(total, module.v)

    module.slopes = tf.function(slopes, input_signature=[tf.TensorSpec([3, 4])], autograph=False)
    expected = module.slopes(tf.constant(X)).numpy()
    tf.saved_model.save(module, str(tmp_path))
    assert b"Inlay>" not in (tmp_path / "saved_model.pb").read_bytes()
    got = tf.saved_model.load(str(tmp_path)).slopes(tf.constant(X))
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5)
