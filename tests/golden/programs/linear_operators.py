"""Programs that combine linear operators: kinds, names and hints of results, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows

M = np.array([[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 4.0]], np.float32)
WIDE = np.ones((2, 3), np.float32)


def _makers(tf: Any) -> dict[str, Callable[[], Any]]:
    """Operators of three rows and columns, but for two blocks of other sizes, one of each kind."""
    linalg = tf.linalg
    full, regular = linalg.LinearOperatorFullMatrix, {"is_non_singular": True}
    blocks = [full(M[:1, :1], **regular), full(M[:2, :2], **regular)]
    spectrum = tf.constant([3.0, 1.0, 1.0], tf.complex64)
    definite = linalg.LinearOperatorDiag([1.0, 2.0, 3.0], is_positive_definite=True)
    return {
        "Adjoint": lambda: linalg.LinearOperatorAdjoint(full(M, **regular)),
        "BlockDiag": lambda: linalg.LinearOperatorBlockDiag(blocks),
        "BlockLowerTriangular": lambda: linalg.LinearOperatorBlockLowerTriangular(
            [[blocks[0]], [full(M[:2, :1]), blocks[1]]]
        ),
        "Circulant": lambda: linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.float32, **regular),
        "Composition": lambda: linalg.LinearOperatorComposition([full(M, **regular), full(M, **regular)]),
        "Diag": lambda: linalg.LinearOperatorDiag([1.0, 2.0, 3.0], **regular),
        "FullMatrix": lambda: full(M, **regular),
        "Householder": lambda: linalg.LinearOperatorHouseholder([1.0, 0.0, 0.0]),
        "Identity": lambda: linalg.LinearOperatorIdentity(3),
        "Inversion": lambda: linalg.LinearOperatorInversion(full(M, **regular)),
        "Kronecker": lambda: linalg.LinearOperatorKronecker([full(M, **regular), full([[1.0]], **regular)]),
        "LowRankUpdate": lambda: linalg.LinearOperatorLowRankUpdate(definite, [[1.0], [2.0], [1.0]], **regular),
        "LowerTriangular": lambda: linalg.LinearOperatorLowerTriangular(M, **regular),
        "Permutation": lambda: linalg.LinearOperatorPermutation([0, 2, 1]),
        "ScaledIdentity": lambda: linalg.LinearOperatorScaledIdentity(3, 2.0, **regular),
        "Toeplitz": lambda: linalg.LinearOperatorToeplitz([5.0, 1.0, 1.0], [5.0, 2.0, 1.0], **regular),
        "Tridiag": lambda: linalg.LinearOperatorTridiag([[1.0, 1, 0], [4, 4, 4], [0, 1, 1]], **regular),
        "Zeros": lambda: linalg.LinearOperatorZeros(3),
    }


KINDS = (
    "Adjoint BlockDiag BlockLowerTriangular Circulant Composition Diag FullMatrix Householder Identity Inversion "
    "Kronecker LowRankUpdate LowerTriangular Permutation ScaledIdentity Toeplitz Tridiag Zeros"
).split()


def _described(operator: Any) -> Any:
    hints = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")
    return [type(operator).__name__, operator.name, *(str(getattr(operator, hint)) for hint in hints)]


@rows(*KINDS)
def of_one(tf: Any, kind: str) -> Any:
    """The operator, its adjoint, inverse and Cholesky factor."""
    operator = _makers(tf)[kind]()
    methods = (operator.adjoint, operator.inverse, operator.cholesky)
    return [_described(operator), *(refused(lambda m=m: _described(m())) for m in methods)]


@rows(*KINDS)
def products(tf: Any, kind: str) -> Any:
    """The products with every kind on the right."""
    makers = _makers(tf)
    left = makers[kind]()
    return [refused(lambda k=k: _described(left.matmul(makers[k]()))) for k in KINDS]


@rows(*KINDS)
def solutions(tf: Any, kind: str) -> Any:
    """The solutions for every kind on the right."""
    makers = _makers(tf)
    left = makers[kind]()
    return [refused(lambda k=k: _described(left.solve(makers[k]()))) for k in KINDS]


REFUSALS: dict[str, Callable[[Any], Any]] = {
    "abstract": lambda tf: tf.linalg.LinearOperator(tf.float32),
    "scalar diagonal": lambda tf: tf.linalg.LinearOperatorDiag(1.0),
    "integer matrix": lambda tf: tf.linalg.LinearOperatorFullMatrix(np.ones((2, 2), np.int32)),
    "bfloat16 matrix": lambda tf: tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 2], tf.bfloat16)),
    "vector": lambda tf: tf.linalg.LinearOperatorFullMatrix([1.0]),
    "definite and singular": lambda tf: tf.linalg.LinearOperatorFullMatrix(
        M, is_positive_definite=True, is_non_singular=False
    ),
    "adjoint but not square": lambda tf: tf.linalg.LinearOperatorFullMatrix(M, is_self_adjoint=True, is_square=False),
    "square after all": lambda tf: tf.linalg.LinearOperatorFullMatrix(M, is_square=False).is_square,
    "another dtype": lambda tf: tf.linalg.LinearOperatorFullMatrix(M).matmul(np.ones((3, 1))),
    "other sizes": lambda tf: tf.linalg.LinearOperatorFullMatrix(M).matmul(WIDE),
    "other sizes solved": lambda tf: tf.linalg.LinearOperatorFullMatrix(M).solve(WIDE),
    "other operators": lambda tf: tf.linalg.LinearOperatorFullMatrix(M).matmul(tf.linalg.LinearOperatorIdentity(2)),
    "inverse of a wide one": lambda tf: tf.linalg.LinearOperatorFullMatrix(WIDE).inverse(),
    "determinant of a wide one": lambda tf: tf.linalg.LinearOperatorFullMatrix(WIDE).determinant(),
    "solution of a wide one": lambda tf: tf.linalg.LinearOperatorFullMatrix(WIDE).solve(WIDE),
    "eigenvalues": lambda tf: tf.linalg.LinearOperatorFullMatrix(M).eigvals(),
    "singular": lambda tf: tf.linalg.LinearOperatorFullMatrix(M, is_non_singular=False).solve(M),
    "definite is not known": lambda tf: tf.linalg.LinearOperatorFullMatrix(M).assert_positive_definite(),
    "rows that are no scalar": lambda tf: tf.linalg.LinearOperatorIdentity([2]),
    "rows that are no integer": lambda tf: tf.linalg.LinearOperatorIdentity(2.0),
    "negative rows": lambda tf: tf.linalg.LinearOperatorZeros(-2),
    "rows in a variable": lambda tf: tf.linalg.LinearOperatorIdentity(tf.Variable(2)),
    "singular identity": lambda tf: tf.linalg.LinearOperatorIdentity(2, is_non_singular=None),
    "regular zeros": lambda tf: tf.linalg.LinearOperatorZeros(2).assert_non_singular(),
    "definite reflection": lambda tf: tf.linalg.LinearOperatorHouseholder([1.0, 0], is_positive_definite=True),
    "no permutation": lambda tf: tf.linalg.LinearOperatorPermutation([-1, 2, 3]),
    "permutation of numbers": lambda tf: tf.linalg.LinearOperatorPermutation([0.0, 1.0]),
    "row and column": lambda tf: tf.linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 2.0, 3.0]),
    "format of diagonals": lambda tf: tf.linalg.LinearOperatorTridiag([1.0, 2.0], diagonals_format="x"),
    "no factors": lambda tf: tf.linalg.LinearOperatorKronecker([]),
    "no operators": lambda tf: tf.linalg.LinearOperatorComposition([]),
    "rows of blocks": lambda tf: tf.linalg.LinearOperatorBlockLowerTriangular(
        [[tf.linalg.LinearOperatorIdentity(2)]] * 2
    ),
    "two dtypes": lambda tf: tf.linalg.LinearOperatorComposition(
        [tf.linalg.LinearOperatorIdentity(2), tf.linalg.LinearOperatorIdentity(2, dtype=tf.float64)]
    ),
    "transposed": lambda tf: tf.matmul(tf.linalg.LinearOperatorFullMatrix(M), M, transpose_a=True),
    "tensor solved": lambda tf: tf.linalg.solve(M, tf.linalg.LinearOperatorFullMatrix(M)),
    "elementwise": lambda tf: tf.add(tf.linalg.LinearOperatorFullMatrix(M), M),
    "real spectrum": lambda tf: tf.linalg.LinearOperatorCirculant([1.0, 2.0], is_self_adjoint=False),
    "low rank sizes": lambda tf: tf.linalg.LinearOperatorLowRankUpdate(
        tf.linalg.LinearOperatorIdentity(3), tf.ones([5, 4, 2])
    ),
}


@rows(*REFUSALS)
def refusals(tf: Any, case: str) -> Any:
    return refused(lambda: REFUSALS[case](tf))


@rows(*(kind for kind in KINDS if kind != "Zeros"))
def functions(tf: Any, kind: str) -> Any:
    """The functions of `tf.linalg` that take operators."""
    operator, linalg = _makers(tf)[kind](), tf.linalg
    return [
        tf.matmul(operator, M),
        tf.matmul(M, operator),
        tf.matmul(operator, M, adjoint_a=True, adjoint_b=True),
        linalg.matvec(operator, M[0]),
        linalg.solve(operator, M),
        linalg.det(operator),
        linalg.diag_part(operator),
        linalg.trace(operator),
        linalg.inv(operator).to_dense(),
        None if kind == "Circulant" else linalg.adjoint(operator).to_dense(),  # see docs/deviations.md
        tf.is_tensor(operator),
    ]


def parameters(tf: Any) -> Any:
    operator = tf.linalg.LinearOperatorIdentity(3, batch_shape=[2])
    return [str(operator.parameters), operator.graph_parents, operator.shape.as_list(), operator.tensor_rank]


def shapes_of_slices(tf: Any) -> Any:
    operator = tf.linalg.LinearOperatorDiag(np.ones((4, 5, 3), np.float32))
    identity = tf.linalg.LinearOperatorIdentity(3, batch_shape=[4])
    parts = [operator[1:3, 0], operator[..., tf.newaxis], operator[...], operator[1], identity[1:3]]
    return [part.shape.as_list() for part in parts]
