"""Large arrays through a session: one op, or a short chain, and its gradient.

Inputs are drawn once with a seed and fed, so that neither side may keep a result; the gradient of what a gradient row
differentiates is fed as well, because many gradients do not depend on the inputs. An op whose result would be fetched
whole is fetched whole: that is what a program does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.timing import Builder, Timed, loop

MILLION = 1_000_000


@dataclass(frozen=True)
class Program:
    """One program over large arrays.

    Attributes:
      name: its name in the ledger.
      title: what is computed, for readers.
      inputs: makes the arrays that are fed.
      body: the program; it receives the module and a placeholder for each input.
      gradient: whether there is a row for the gradient too, in the first input.
      goal: the ratio to TensorFlow that it is held to.
      multiplications: those of a product of matrices that does as much; 0 for a program that memory bounds.
    """

    name: str
    title: str
    inputs: Callable[[np.random.Generator], list[np.ndarray]]
    body: Callable[..., Any]
    gradient: bool = False
    goal: float = 1.0
    multiplications: int = 0


def _floats(*shape: int) -> Callable[[np.random.Generator], list[np.ndarray]]:
    return lambda rand: [rand.standard_normal(shape, np.float32)]


def _with_indices(*shape: int, count: int, of: int) -> Callable[[np.random.Generator], list[np.ndarray]]:
    return lambda rand: [rand.standard_normal(shape, np.float32), rand.integers(0, of, count).astype(np.int32)]


def _sorted_segments(rand: np.random.Generator) -> list[np.ndarray]:
    return [rand.standard_normal((MILLION // 10, 10), np.float32), np.sort(rand.integers(0, 1000, MILLION // 10))]


def _gelu(tf: Any, x: Any) -> Any:
    return 0.5 * x * (1.0 + tf.tanh(0.7978846 * (x + 0.044715 * x**3)))


def _sines(tf: Any, x: Any) -> Any:
    for _ in range(50):
        x = tf.sin(x) + 1.0
    return x


def _polynomial(tf: Any, x: Any) -> Any:
    return ((x * 2.0 + 1.0) * x - 3.0) * x + 0.5


def _images(size: int, channels: int, count: int = 8) -> Callable[[np.random.Generator], list[np.ndarray]]:
    return lambda rand: [
        rand.standard_normal((count, size, size, channels), np.float32),
        rand.standard_normal((3, 3, channels, channels), np.float32),
    ]


def _picture(rand: np.random.Generator) -> list[np.ndarray]:
    return [rand.random((480, 640, 3), np.float32)]


def _integers(rand: np.random.Generator) -> list[np.ndarray]:
    return [rand.integers(0, 1000, MILLION).astype(np.int32)]


def _texts(rand: np.random.Generator) -> list[np.ndarray]:
    return [np.array([b"%d.5 Words" % n for n in rand.integers(0, 10**6, 100_000)], object)]


_STRINGS: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("lower", "lower", lambda tf, x: tf.strings.lower(x)),
    ("join", "join", lambda tf, x: tf.strings.join([x, x], "-")),
    ("substr", "substr", lambda tf, x: tf.strings.substr(x, 1, 4)),
    ("split", "split", lambda tf, x: tf.strings.split(x).values),
    ("regex_replace", "regex_replace", lambda tf, x: tf.strings.regex_replace(x, "[0-9]+", "#")),
    ("to_number", "to_number", lambda tf, x: tf.strings.to_number(tf.strings.substr(x, 0, 3))),
)


def _waves(*shape: int, dtype: str = "complex64") -> Callable[[np.random.Generator], list[np.ndarray]]:
    return lambda rand: [(rand.standard_normal(shape) + 1j * rand.standard_normal(shape)).astype(dtype)]


def _definite(*shape: int) -> Callable[[np.random.Generator], list[np.ndarray]]:
    """Symmetric positive definite matrices."""

    def make(rand: np.random.Generator) -> list[np.ndarray]:
        x = rand.standard_normal(shape, np.float32)
        return [x @ np.swapaxes(x, -1, -2) / np.float32(shape[-1]) + np.eye(shape[-1], dtype=np.float32)]

    return make


def _linear(name: str, title: str, body: Callable[..., Any]) -> list[Program]:
    """A large matrix, and a stack of small ones."""
    return [
        Program(name, f"{title} of 300 x 300", _definite(300, 300), body, goal=LINEAR),
        Program(f"{name}_stack", f"{title} of 1,000 x 8 x 8", _definite(1000, 8, 8), body, goal=LINEAR),
    ]


CHAIN, CONVOLUTION = 1.5, 0.8
FOURIER = LINEAR = 0.9

PROGRAMS = (
    Program("exp", "exp", _floats(MILLION), lambda tf, x: tf.exp(x), True),
    Program("tanh", "tanh", _floats(MILLION), lambda tf, x: tf.tanh(x), True),
    Program("sigmoid", "sigmoid", _floats(MILLION), lambda tf, x: tf.sigmoid(x), True),
    Program("add", "x + y", lambda r: _floats(MILLION)(r) * 2, lambda tf, x, y: x + y),
    Program("gelu", "GELU by tanh", _floats(MILLION), _gelu, True, CHAIN),
    Program("sines", "50 x (sin + 1)", _floats(MILLION), _sines, True, CHAIN),
    Program("polynomial", "a polynomial of degree 3", _floats(MILLION), _polynomial, True, CHAIN),
    Program("where", "where(x > 0, x, -x)", _floats(MILLION), lambda tf, x: tf.where(x > 0, x, -x), True),
    Program("cast", "cast to float64", _floats(MILLION), lambda tf, x: tf.cast(x, tf.float64)),
    Program("sum", "reduce_sum of all", _floats(1000, 1000), lambda tf, x: tf.reduce_sum(x), True),
    Program("sum_rows", "reduce_sum of rows", _floats(1000, 1000), lambda tf, x: tf.reduce_sum(x, 1), True),
    Program("max_columns", "reduce_max of columns", _floats(1000, 1000), lambda tf, x: tf.reduce_max(x, 0), True),
    Program("argmax", "argmax of rows", _floats(1000, 1000), lambda tf, x: tf.argmax(x, 1)),
    Program("cumsum", "cumsum", _floats(MILLION), lambda tf, x: tf.cumsum(x), True),
    Program("softmax", "softmax of 1000 x 1000", _floats(1000, 1000), lambda tf, x: tf.nn.softmax(x), True),
    Program("sort", "sort", _floats(MILLION), lambda tf, x: tf.sort(x)),
    Program("top_k", "top 10 of 256 x 1000", _floats(256, 1000), lambda tf, x: tf.nn.top_k(x, 10)[0], True),
    Program("unique", "unique of integers", _integers, lambda tf, x: tf.unique(x)[0]),
    Program(
        "gather",
        "gather 100,000 rows of 100,000 x 10",
        _with_indices(MILLION // 10, 10, count=MILLION // 10, of=MILLION // 10),
        lambda tf, x, i: tf.gather(x, i),
        True,
    ),
    Program(
        "segment_sum", "segment_sum, 1,000 segments", _sorted_segments, lambda tf, x, i: tf.math.segment_sum(x, i), True
    ),
    Program(
        "unsorted_segment_sum",
        "unsorted_segment_sum, 1,000 segments",
        _with_indices(MILLION // 10, 10, count=MILLION // 10, of=1000),
        lambda tf, x, i: tf.math.unsorted_segment_sum(x, i, 1000),
        True,
    ),
    Program("transpose", "transpose of 1000 x 1000", _floats(1000, 1000), lambda tf, x: tf.transpose(x)),
    Program("flip", "flip of a 480 x 640 image", _picture, lambda tf, x: tf.image.flip_left_right(x)),
    Program("resize", "a 480 x 640 image to 224 x 224", _picture, lambda tf, x: tf.image.resize(x, [224, 224])),
    Program(
        "conv2d",
        "conv2d of 8 x 64 x 64 x 16",
        _images(64, 16),
        lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME"),
        True,
        CONVOLUTION,
        8 * 64 * 64 * 9 * 16 * 16,
    ),
    Program(
        "avg_pool",
        "avg_pool of 8 x 64 x 64 x 16",
        _images(64, 16),
        lambda tf, x, w: tf.nn.avg_pool2d(x, 2, 2, "SAME"),
        True,
        CONVOLUTION,
    ),
    Program(
        "max_pool",
        "max_pool of 8 x 64 x 64 x 16",
        _images(64, 16),
        lambda tf, x, w: tf.nn.max_pool2d(x, 2, 2, "SAME"),
        True,
        CONVOLUTION,
    ),
    Program(
        "matmul",
        "matmul of 500 x 500",
        lambda r: _floats(500, 500)(r) * 2,
        lambda tf, x, y: tf.matmul(x, y),
        True,
        CONVOLUTION,
        500**3,
    ),
    Program("normal", "random.normal", lambda r: [], lambda tf: tf.random.normal([MILLION])),
    Program("uniform", "random.uniform", lambda r: [], lambda tf: tf.random.uniform([MILLION])),
    Program("truncated", "random.truncated_normal", lambda r: [], lambda tf: tf.random.truncated_normal([MILLION])),
    Program("shuffle", "random.shuffle", _floats(MILLION), lambda tf, x: tf.random.shuffle(x)),
    Program(
        "non_max_suppression",
        "non_max_suppression of 2,000 boxes",
        lambda r: [_boxes(r, 2000), r.random(2000, np.float32)],
        lambda tf, b, s: tf.image.non_max_suppression(b, s, 100),
    ),
    Program(
        "string_length",
        "strings.length of 100,000",
        lambda r: [np.array([b"x" * int(n) for n in r.integers(1, 20, 100_000)], object)],
        lambda tf, x: tf.strings.length(x),
    ),
    *[Program(f"string_{name}", f"{title} of 100,000 strings", _texts, body) for name, title, body in _STRINGS],
    Program("poisson", "100,000 numbers of random.poisson", lambda r: [], lambda tf: tf.random.poisson([100_000], 3.0)),
    Program("gamma", "100,000 numbers of random.gamma", lambda r: [], lambda tf: tf.random.gamma([100_000], 2.0)),
    Program(
        "matmul_integers",
        "matmul of 256 x 256 integers",
        lambda r: [r.integers(0, 100, (256, 256)).astype(np.int32)] * 2,
        lambda tf, x, y: tf.matmul(x, y),
    ),
    # Fourier transforms and linear algebra
    Program("fft", "fft of 1000 x 1024", _waves(1000, 1024), lambda tf, x: tf.signal.fft(x), True, FOURIER),
    Program("ifft", "ifft of 1000 x 1024", _waves(1000, 1024), lambda tf, x: tf.signal.ifft(x), False, FOURIER),
    Program(
        "fft_long", "fft of 2**20", _waves(1 << 20, dtype="complex128"), lambda tf, x: tf.signal.fft(x), False, FOURIER
    ),
    Program("rfft", "rfft of 1000 x 1024", _floats(1000, 1024), lambda tf, x: tf.signal.rfft(x), True, FOURIER),
    Program("irfft", "irfft of 1000 x 513", _waves(1000, 513), lambda tf, x: tf.signal.irfft(x), False, FOURIER),
    Program("fft2d", "fft2d of 8 x 256 x 256", _waves(8, 256, 256), lambda tf, x: tf.signal.fft2d(x), False, FOURIER),
    Program(
        "cholesky", "cholesky of 500 x 500", _definite(500, 500), lambda tf, x: tf.linalg.cholesky(x), True, LINEAR
    ),
    Program(
        "cholesky_stack",
        "cholesky of 1,000 x 8 x 8",
        _definite(1000, 8, 8),
        lambda tf, x: tf.linalg.cholesky(x),
        True,
        LINEAR,
    ),
    *_linear("inv", "matrix_inverse", lambda tf, x: tf.linalg.inv(x)),
    *_linear("solve", "solve", lambda tf, x: tf.linalg.solve(x, x[..., :1])),
    *_linear("triangular_solve", "triangular_solve", lambda tf, x: tf.linalg.triangular_solve(x, x)),
    *_linear("lstsq", "lstsq", lambda tf, x: tf.linalg.lstsq(x, x[..., :1])),
    *_linear("det", "det", lambda tf, x: tf.linalg.det(x)),
    *_linear("logdet", "logdet", lambda tf, x: tf.linalg.logdet(x)),
    *_linear("qr", "qr", lambda tf, x: tf.linalg.qr(x)[1]),
    *_linear("svd", "svd", lambda tf, x: tf.linalg.svd(x)[0]),
    *_linear("eigh", "eigh", lambda tf, x: tf.linalg.eigh(x)[0]),
    *_linear("eigvalsh", "eigvalsh", lambda tf, x: tf.linalg.eigvalsh(x)),
    *_linear("lu", "lu", lambda tf, x: tf.linalg.lu(x)[0]),
    Program("fft3d", "fft3d of 64 x 64 x 64", _waves(64, 64, 64), lambda tf, x: tf.signal.fft3d(x), False, FOURIER),
)


def _boxes(rand: np.random.Generator, count: int) -> np.ndarray:
    corners = rand.random((count, 2), np.float32) * 100
    return np.concatenate([corners, corners + 1 + 20 * rand.random((count, 2), np.float32)], 1)


def case_name(program: Program, gradient: bool) -> str:
    """The case of a program, or of its gradient."""
    return f"array_{program.name}_gradient" if gradient else f"array_{program.name}"


def _prepared(tf: Any, program: Program, gradient: bool) -> tuple[Callable[[], Any], list[np.ndarray]]:
    """A run of a program or of its gradient, and the arrays that are fed."""
    rand = np.random.default_rng(7)
    arrays = program.inputs(rand)
    with tf.Graph().as_default() as graph:
        places = [tf.compat.v1.placeholder(tf.as_dtype(_dtype(a)), a.shape) for a in arrays]
        fetched = program.body(tf, *places)
        if gradient:
            with tf.compat.v1.Session() as session:
                value = session.run(fetched, dict(zip(places, arrays, strict=True)))
            cotangent = tf.compat.v1.placeholder(value.dtype, value.shape)
            (fetched,) = tf.gradients(fetched, places[:1], [cotangent])
            fetched = tf.convert_to_tensor(fetched)
            places.append(cotangent)
            arrays.append(rand.standard_normal(value.shape).astype(value.dtype))
    run, feeds = tf.compat.v1.Session(graph=graph).run, dict(zip(places, arrays, strict=True))
    return (lambda: run(fetched, feeds)), arrays


def _builder(program: Program, gradient: bool) -> Builder:
    return lambda tf: loop(_prepared(tf, program, gradient)[0])


def _bare_builder(program: Program, gradient: bool) -> Builder:
    """The least work for the machine: BLAS for as many multiplications, or a copy that moves as many bytes."""

    def build(tf: Any) -> Timed:
        if program.multiplications:
            side = round(program.multiplications ** (1 / 3))
            left, right, product = (np.ones((side, side), np.float32) for _ in range(3))
            return loop(lambda: np.matmul(left, right, product))
        run, arrays = _prepared(tf, program, gradient)
        moved = sum(array.nbytes for array in arrays) + np.asarray(run()).nbytes
        source, target = np.ones(moved // 2, np.uint8), np.ones(moved // 2, np.uint8)
        return loop(lambda: np.copyto(target, source))

    return build


def _dtype(array: np.ndarray) -> Any:
    return "string" if array.dtype == object else array.dtype


Combinations = tuple[tuple[Program, bool], ...]


def combinations(programs: tuple[Program, ...]) -> Combinations:
    """Each program, and each that has a row for its gradient a second time with True."""
    return tuple((p, gradient) for p in programs for gradient in ((False, True) if p.gradient else (False,)))


def programs_built(pairs: Combinations) -> dict[str, Builder]:
    """The builder of each program or gradient, by the name of its case, and of its bare loop."""
    built = {case_name(*pair): _builder(*pair) for pair in pairs}
    return built | {f"{case_name(*pair)}_bare": _bare_builder(*pair) for pair in pairs}


COMBINATIONS = combinations(PROGRAMS)
CASES = programs_built(COMBINATIONS)
