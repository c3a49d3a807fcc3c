"""Rows of the mathematics: elementwise functions, reductions, linear algebra, neural networks, segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from tests.conformance.sampling import Row, real, row

OF_SCIPY = (
    *("Dawsn", "Expint", "FresnelCos", "FresnelSin", "Spence"),
    *("BesselJ0", "BesselJ1", "BesselY0", "BesselY1", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e"),
)

X = [[-1.3, 0.6, 2.2], [0.4, -0.7, 1.1]]
Y = [[0.9, -1.6, 0.5], [-0.3, 1.2, 0.8]]
P = [[1.3, 0.6, 2.2], [0.4, 0.7, 1.1]]
Q = [[0.9, 1.6, 0.5], [0.3, 1.2, 0.8]]
U = [[-0.3, 0.6, 0.25], [0.4, -0.7, 0.1]]
V = [0.7, -1.4, 1.9]
IX = [[-7, 5, 4], [3, -2, 9]]
IY = [[2, -3, 5], [-2, 1, 4]]
B1 = np.array([[True, False, True], [False, False, True]])
B2 = np.array([[True, True, False], [False, True, True]])
A3 = [[2.1, 0.4, -0.3], [0.2, 1.7, 0.5], [-0.6, 0.3, 1.9]]
BATCH = np.stack([A3, np.transpose(A3) + np.eye(3)]).tolist()
RIGHT = [[[0.4, 1.0], [-0.6, 0.3], [0.8, -1.1]], [[1.4, 0.1], [0.6, -0.3], [0.2, 0.7]]]
DISTINCT = [[1.3, -0.6, 2.2, 0.9], [0.4, -0.7, 1.1, 3.0]]

SIGNAL = [0.5, -1.2, 0.8, 1.4, -0.3]


def _spectrum(kind: Any) -> Any:
    return dtypes.complex64 if kind is dtypes.float32 else dtypes.complex128


FLOAT = row(X)
POSITIVE = row(P)
UNIT = row(U)
PAIR = row(X, Y)
BROADCAST = row(X, V)
STEP = row(X).but(order=0)
COMPARE = row(X, [[-1.3, -1.6, 0.5], [0.4, 1.2, 0.8]]).but(order=0)
BITS = row(IX, IY).but(order=0)
LOGIC = row(B1, B2).but(order=0)

ELEMENTWISE: dict[str, Row] = {
    "AddV2": BROADCAST,
    "Sub": BROADCAST,
    "Mul": BROADCAST,
    "RealDiv": PAIR,
    "FloorDiv": row(X, Y).but(ints=(IX, IY), order=0),
    "FloorMod": row(X, Y).but(ints=(IX, IY)),
    "TruncateDiv": row(X, Y).but(ints=(IX, IY), order=0),
    "TruncateMod": row(X, Y).but(ints=(IX, IY)),
    "Pow": row(P, Y).but(ints=([[2, 3, 1], [-2, 0, 4]], [[3, 2, 0], [3, 2, 1]])),
    "Neg": FLOAT,
    "Conj": FLOAT,
    "Abs": FLOAT,
    "ComplexAbs": row(X, Tout=real),
    "Sign": FLOAT,
    "Square": FLOAT,
    "Sqrt": POSITIVE,
    "Rsqrt": POSITIVE,
    "Reciprocal": FLOAT,
    "Exp": FLOAT,
    "Expm1": FLOAT,
    "Log": POSITIVE,
    "Log1p": POSITIVE,
    "Sin": FLOAT,
    "Cos": FLOAT,
    "Tan": UNIT,
    "Asin": UNIT,
    "Acos": UNIT,
    "Atan": UNIT,
    "Sinh": UNIT,
    "Cosh": UNIT,
    "Tanh": FLOAT,
    "Asinh": UNIT,
    "Acosh": row([[1.3, 2.6, 1.25], [3.4, 1.7, 1.1]]),
    "Atanh": UNIT,
    "Atan2": PAIR,
    "Sigmoid": FLOAT,
    "Softplus": FLOAT,
    "Maximum": BROADCAST,
    "Minimum": BROADCAST,
    "SquaredDifference": BROADCAST,
    "DivNoNan": row(X, [[0.9, 0.0, 0.5], [-0.3, 1.2, 0.8]]).but(prepare=lambda x, y: (x, y + 1.7)),
    "MulNoNan": PAIR,
    "AddN": row([X, Y, P]),
    "Xlogy": row(X, Q),
    "Xlog1py": row(X, Q),
    "Xdivy": row(X, Q),
    "Floor": STEP,
    "Ceil": STEP,
    "Rint": STEP,
    "Round": row([[-1.5, 0.5, 2.5], [0.4, -0.7, 1.1]]).but(order=0),
    "Equal": COMPARE,
    "EqualWhereShapesFit": COMPARE.but(numpy_only=True, unknown=True),
    "NotEqual": COMPARE,
    "Less": COMPARE,
    "LessEqual": COMPARE,
    "Greater": COMPARE,
    "GreaterEqual": COMPARE,
    "ApproximateEqual": COMPARE,
    "LogicalAnd": LOGIC,
    "LogicalOr": LOGIC,
    "LogicalNot": row(B1).but(order=0),
    "IsNan": row([1.0, float("nan"), float("inf")]).but(order=0),
    "IsInf": row([1.0, float("nan"), float("-inf")]).but(order=0),
    "IsFinite": row([1.0, float("nan"), float("inf")]).but(order=0),
    "NextAfter": row(X, Y),
    "Cast": row(X, dtype=dtypes.float64),
    "Real": row(X, Tout=real),
    "Imag": row(X, Tout=real),
    "Angle": row(X, Tout=real),
    "Complex": row(X, V, Tout=lambda d: dtypes.complex64 if d is dtypes.float32 else dtypes.complex128),
    "BitwiseAnd": BITS,
    "BitwiseOr": BITS,
    "BitwiseXor": BITS,
    "Invert": row(IX).but(order=0),
    "LeftShift": row(IX, [[2, 3, 1], [0, 1, 4]]).but(order=0),
    "RightShift": row(IX, [[2, 3, 1], [0, 1, 4]]).but(order=0),
    "PopulationCount": row(IX).but(order=0),
}

SPECIAL: dict[str, Row] = {
    "Erf": FLOAT,
    "Erfc": FLOAT,
    "Erfinv": UNIT,
    "Ndtri": row([[0.3, 0.6, 0.25], [0.4, 0.7, 0.1]]),
    "Lgamma": POSITIVE,
    "Digamma": POSITIVE.but(loose=10),
    "Polygamma": row([[1.0, 2.0, 3.0], [1.0, 0.0, 2.0]], P).but(sources=(1,), loose=10),
    "Zeta": row([[1.5, 2.0, 3.0], [4.0, 2.5, 2.0]], P).but(sources=(1,), loose=10),
    "Betainc": row(P, Q, [[0.3, 0.6, 0.25], [0.4, 0.7, 0.1]]).but(sources=(2,), loose=10),
    **{name: row([[0.5, 1.2, 2.2], [0.7, 3.1, 1.9]]).but(numpy_only=True, loose=10) for name in OF_SCIPY},
    "BesselI0e": FLOAT,
    "BesselI1e": FLOAT,
    "Igamma": row(P, Q).but(sources=(1,), loose=10),
    "Igammac": row(P, Q).but(sources=(1,), loose=10),
    "IgammaGradA": row(P, Q).but(order=0, loose=10),
    "Sinc": FLOAT,
}

CUBE = np.arange(12.0).reshape(2, 3, 2) * 0.37 - 1.9
SPREAD = np.array([[[0.3, -1.2], [2.4, 0.7], [-0.5, 1.6]], [[1.1, 0.2], [-0.9, 1.9], [0.6, -2.1]]])
ROWS = [[0.3, -1.2], [2.4, 0.7], [-0.5, 1.6], [1.1, 0.2]]

REDUCTIONS: dict[str, Row] = {
    "KeptShape": row(SPREAD, [1]).but(order=0),
    "Sum": row(SPREAD, [0, -1]),
    "Mean": row(SPREAD, [1], keepdims=True),
    "Prod": row([[1.3, 0.6, 2.2], [0.4, 0.0, 1.1]], [1]),
    "Max": row(SPREAD, [1]),
    "Min": row(SPREAD, [0, 1], keepdims=True),
    "Any": row(B1, [0]).but(order=0),
    "All": row(B1, [1], keepdims=True).but(order=0),
    "Cumsum": row(SPREAD, 1, exclusive=True, reverse=True),
    "Cumprod": row([[1.3, 0.0, 2.2], [0.4, -0.7, 1.1]], 1, reverse=True),
    "CumulativeLogsumexp": row(X, 1, exclusive=False, reverse=True),
    "OtherFactors": row(SPREAD, [1, -1]),
    "Shifted": row(X, 1, by=-1),
    "LinearRecurrence": row(X, Y, 1, reverse=True),
    "ArgMax": row(DISTINCT, 1, output_type=dtypes.int64).but(order=0),
    "ArgMin": row(DISTINCT, 0, output_type=dtypes.int32).but(order=0),
    "SumLike": row(SPREAD, [[1.0], [2.0], [3.0]]).but(sources=(0,)),
    "BroadcastLike": row([[1.0], [-2.0], [0.5]], SPREAD).but(sources=(0,)),
}


def _hermitian(a: Any) -> Any:
    from inlay import linalg

    return (linalg.matmul(a, a, adjoint_b=True) + a * 0 + np.eye(3),)


def _own_hermitian() -> Any:
    a = np.array(BATCH)
    return (a @ np.swapaxes(a, -1, -2) + np.eye(3)).tolist()


def _svd_view(outputs: list[Any]) -> list[Any]:
    s, u, v = (np.asarray(x) for x in outputs)
    return [s, u * s[..., None, :] @ np.conj(np.swapaxes(v, -1, -2)), np.abs(u)]


def _eigh_view(outputs: list[Any]) -> list[Any]:
    e, v = (np.asarray(x) for x in outputs)
    return [e, v * e[..., None, :] @ np.conj(np.swapaxes(v, -1, -2))]


def _squared_sizes(*outputs: Any) -> Any:
    """Real outputs, and the parts of vectors that do not depend on their free phase."""
    from inlay import math

    return tuple(math.real(y * math.conj(y)) for y in outputs)


def _qr_view(outputs: list[Any]) -> list[Any]:
    q, r = (np.asarray(x) for x in outputs)
    return [np.matmul(q, r), np.abs(q)]


LINALG: dict[str, Row] = {
    "BatchMatMulV2": row(BATCH, RIGHT, transpose_a=True).but(loose=4),
    "MatMul": row(A3, RIGHT[0], transpose_a=True).but(loose=4),
    "MatrixBandPart": row(BATCH, 1, 0),
    "MatrixDiagPartV3": row(BATCH, (-1, 1), 0.5),
    "MatrixSetDiagV3": row(BATCH, [[0.1, 0.2, 0.3], [1.1, 1.2, 1.3]], 0),
    "MatrixDiagV3": row([[0.1, 0.2, 0.3], [1.1, 1.2, 1.3]], 1, -1, -1, 0.5),
    "Diag": row([0.1, 0.2, 0.3]),
    "DiagPart": row([[0.1, 0.2], [0.3, 0.4]]),
    "Eye": row(2, 3, dtype=dtypes.float32).but(order=0),
    "MatrixInverse": row(BATCH, adjoint=True).but(loose=20),
    "MatrixDeterminant": row(BATCH).but(loose=20),
    "LogMatrixDeterminant": row(BATCH).but(loose=20),
    "MatrixSolve": row(BATCH, RIGHT, adjoint=True).but(loose=20),
    "MatrixSolveLs": row(BATCH, RIGHT, 0.5, fast=True).but(loose=20),
    "MatrixTriangularSolve": row(BATCH, RIGHT).but(loose=20),
    "Cholesky": row(_own_hermitian()).but(
        loose=20, prepare=_hermitian, only=frozenset({dtypes.float32, dtypes.float64})
    ),
    "Qr": row([[1.2, 0.3], [-0.4, 1.5], [0.7, 0.2]]).but(loose=20, view=_qr_view, seen=_squared_sizes),
    "Svd": row([[1.2, 0.3], [-0.4, 1.5], [0.7, 0.2]], Treal=real).but(loose=20, view=_svd_view, seen=_squared_sizes),
    "Lu": row(BATCH, output_idx_type=dtypes.int64).but(order=0, loose=20),
    "Eig": row(BATCH, Tout=lambda kind: dtypes.complex64 if kind.real_dtype.size == 4 else dtypes.complex128).but(
        loose=50, seen=_squared_sizes, numpy_only=True
    ),
    "IsotonicRegression": row([[3.0, 1.0, 2.0, 0.5], [1.2, 2.2, 0.3, 0.1]], output_dtype=real).but(
        order=1, numpy_only=True
    ),
    "SobolSample": row(3, 5, 2, dtype=dtypes.float64).but(order=0, numpy_only=True),
    "MatrixLogarithm": row(BATCH).but(order=0, numpy_only=True),
    "MatrixSquareRoot": row(np.matmul(BATCH, np.swapaxes(BATCH, -1, -2)) + np.eye(3)).but(loose=50, numpy_only=True),
    "TridiagonalSolve": row([[[0.3, 0.5, 9.0], [2.0, 3.0, -2.5], [9.0, 0.7, 0.4]]] * 2, RIGHT).but(loose=20),
    "BandedTriangularSolve": row([[[2.0, 3.0, -2.5], [9.0, 0.7, 0.4]]], RIGHT).but(loose=20),
    "SingularValues": row([[1.2, 0.3], [-0.4, 1.5], [0.7, 0.2]], Treal=real).but(loose=20),
    "SelfAdjointEigV2": row(_own_hermitian()).but(
        loose=50,
        view=_eigh_view,
        seen=_squared_sizes,
        prepare=_hermitian,
        only=frozenset({dtypes.float32, dtypes.float64}),
    ),
    "MatrixExponential": row(BATCH).but(loose=50),
    "PseudoInverse": row([[1.2, 0.3], [-0.4, 1.5], [0.7, 0.2]], 1e-5).but(loose=20, sources=(0,)),
    "Einsum": row([X, np.transpose(Y), V], equation="ij,jk,l->ik").but(loose=4),
}

SIGNAL: dict[str, Row] = {
    "FFT": row(X).but(loose=4),
    "IFFT": row(X).but(loose=4),
    "FFT2D": row([X, X]).but(loose=4),
    "IFFT2D": row([X, X]).but(loose=4),
    "FFT3D": row([[X, X]]).but(loose=4),
    "IFFT3D": row([[X, X]]).but(loose=4),
    "RFFT": row(SIGNAL, [8], Tcomplex=_spectrum).but(loose=4),
    "IRFFT": row(SIGNAL, [5], Treal=real).but(loose=4),
    "RFFT2D": row([SIGNAL, SIGNAL[::-1]], [3, 4], Tcomplex=_spectrum).but(loose=4),
    "IRFFT2D": row([SIGNAL, SIGNAL[::-1]], [2, 6], Treal=real).but(loose=4),
    "RFFT3D": row([[SIGNAL, SIGNAL[::-1]]], [1, 2, 5], Tcomplex=_spectrum).but(loose=4),
    "IRFFT3D": row([[SIGNAL, SIGNAL[::-1]]], [1, 2, 7], Treal=real).but(loose=4),
}

LOWS, HIGHS = [-1.0, -0.5, 0.0], [1.0, 1.5, 2.0]

NN: dict[str, Row] = {
    "Relu": FLOAT,
    "FakeQuantWithMinMaxArgs": row(X, min=-1.0, max=1.5, num_bits=4).but(order=0),  # gradients: as recorded
    "FakeQuantWithMinMaxArgsGradient": row(Y, X, min=-1.0, max=1.5, num_bits=4).but(sources=(0,)),
    "FakeQuantWithMinMaxVars": row(X, -1.0, 1.5, num_bits=4).but(order=0),
    "FakeQuantWithMinMaxVarsGradient": row(Y, X, -1.0, 1.5, num_bits=4).but(sources=(0,)),
    "FakeQuantWithMinMaxVarsPerChannel": row(X, LOWS, HIGHS, num_bits=4).but(order=0),
    "FakeQuantWithMinMaxVarsPerChannelGradient": row(Y, X, LOWS, HIGHS, num_bits=4).but(sources=(0,)),
    "QuantizeAndDequantizeV2": row(X, LOWS, HIGHS, range_given=True, axis=1, num_bits=4).but(order=0),
    "QuantizeAndDequantizeV4": row(X, LOWS, HIGHS, range_given=True, axis=1, num_bits=4).but(order=0),
    "QuantizeAndDequantizeV4Grad": row(Y, X, LOWS, HIGHS, axis=1).but(sources=(0,)),
    "ReluGrad": row(X, [[-1.3, 0.6, 7.2], [0.4, -0.7, 1.1]], alpha=0.3, top=6),
    "Relu6": row([[-1.3, 0.6, 7.2], [0.4, -0.7, 1.1]]),
    "Elu": FLOAT,
    "Selu": FLOAT,
    "LeakyRelu": row(X, alpha=0.3),
    "Softsign": FLOAT,
    "Softmax": row(SPREAD, axis=1),
    "LogSoftmax": row(SPREAD, axis=-1),
    "SoftmaxCrossEntropyWithLogits": row(SPREAD, np.abs(SPREAD)).but(sources=(0,), order=0),
    "SparseSoftmaxCrossEntropyWithLogits": row(SPREAD, [[0, 1, 1], [1, 0, 0]]).but(sources=(0,), order=0),
    "TopKV2": row(DISTINCT, 2, sorted=True, index_type=dtypes.int32),
    "ApproxTopK": row(DISTINCT, k=2, reduction_dimension=1, is_max_k=False),
    "InTopKV2": row(DISTINCT, [0, 3], 2).but(order=0),
}

IMAGE = (np.sin(np.arange(2 * 4 * 5 * 2) * 1.7) * 2).reshape(2, 4, 5, 2)
FILTER = np.cos(np.arange(3 * 2 * 2 * 3) * 0.9).reshape(3, 2, 2, 3)
WINDOW: dict[str, Any] = {"strides": (1, 2, 1, 1), "padding": "SAME", "data_format": "NHWC", "dilations": (1, 1, 1, 1)}
POOL: dict[str, Any] = {"ksize": (1, 2, 3, 1), "strides": (1, 2, 1, 1), "padding": "SAME", "data_format": "NHWC"}
MADE = np.sin(np.arange(2 * 2 * 5 * 3) * 0.7).reshape(2, 2, 5, 3)

VOLUME = (np.sin(np.arange(2 * 3 * 3 * 2) * 1.7) * 2).reshape(1, 2, 3, 3, 2)
KERNEL = np.cos(np.arange(2 * 2 * 2 * 2) * 0.9).reshape(2, 1, 2, 2, 2)
WINDOW3: dict[str, Any] = {"strides": (1, 2, 1, 1, 1), "padding": "SAME", "data_format": "NDHWC", "dilations": (1,) * 5}
POOL3: dict[str, Any] = {
    "ksize": (1, 2, 1, 2, 1),
    "strides": (1, 2, 1, 1, 1),
    "padding": "SAME",
    "data_format": "NDHWC",
}
MADE3 = np.sin(np.arange(3 * 3 * 2) * 0.7).reshape(1, 1, 3, 3, 2)

CONV: dict[str, Row] = {
    "Conv2D": row(IMAGE, FILTER, **WINDOW).but(loose=10),
    "Conv2DBackpropInput": row([2, 4, 5, 2], FILTER, MADE, **WINDOW).but(loose=10),
    "Conv2DBackpropFilter": row(IMAGE, [3, 2, 2, 3], MADE, **WINDOW).but(loose=10),
    "MaxPool": row(IMAGE, **POOL),
    "MaxPoolGrad": row(IMAGE, IMAGE[:, :2], **POOL),
    "MaxPoolGradGrad": row(IMAGE, IMAGE, **POOL),
    "AvgPool": row(IMAGE, **POOL),
    "AvgPoolGrad": row([2, 4, 5, 2], IMAGE[:, :2], **POOL),
    "MaxPoolWithArgmax": row(IMAGE, **POOL, output_dtype=dtypes.int64, include_batch_in_index=True).but(order=1),
    "Conv3D": row(VOLUME, KERNEL, **WINDOW3).but(loose=10),
    "Conv3DBackpropInputV2": row([1, 2, 3, 3, 2], KERNEL, MADE3, **WINDOW3).but(loose=10),
    "Conv3DBackpropFilterV2": row(VOLUME, [2, 1, 2, 2, 2], MADE3, **WINDOW3).but(loose=10),
    "MaxPool3D": row(VOLUME, **POOL3),
    "MaxPool3DGrad": row(VOLUME, VOLUME[:, :1], **POOL3),
    "MaxPool3DGradGrad": row(VOLUME, VOLUME, **POOL3),
    "AvgPool3D": row(VOLUME, **POOL3),
    "AvgPool3DGrad": row([1, 2, 3, 3, 2], VOLUME[:, :1], **POOL3),
    "Dilation2D": row(IMAGE, FILTER[:, :, :, 0], strides=(1, 2, 1, 1), rates=(1, 1, 2, 1), padding="SAME"),
    "LRN": row(IMAGE, depth_radius=1, bias=1.5, alpha=0.3, beta=0.7).but(loose=10),
}

SEGMENTS: dict[str, Row] = {
    "SegmentSum": row(ROWS, [0, 0, 2, 2]).but(unknown=True),
    "SegmentMean": row(ROWS, [0, 0, 2, 2]).but(unknown=True),
    "SegmentMax": row(ROWS, [0, 0, 2, 2]).but(unknown=True),
    "SegmentMin": row(ROWS, [0, 0, 2, 2]).but(unknown=True),
    "SegmentProd": row(ROWS, [0, 0, 2, 2]).but(unknown=True),
    **{f"SparseSegment{n}": row(ROWS, [0, 2, 2, 1], [0, 0, 2, 2]).but(unknown=True) for n in ("Sum", "Mean", "SqrtN")},
    **{f"SparseSegment{n}WithNumSegments": row(ROWS, [0, 2, 2, 1], [0, 0, 2, 2], 4) for n in ("Sum", "Mean", "SqrtN")},
    "UnsortedSegmentSum": row(ROWS, [2, -1, 0, 2], 4),
    "UnsortedSegmentMax": row(ROWS, [1, -1, 0, 1], 2),
    "UnsortedSegmentMin": row(ROWS, [1, -1, 0, 1], 2),
    "UnsortedSegmentProd": row(ROWS, [2, -1, 0, 2], 3),
}

SAMPLES: dict[str, Row] = {**ELEMENTWISE, **SPECIAL, **REDUCTIONS, **LINALG, **SIGNAL, **NN, **CONV, **SEGMENTS}
