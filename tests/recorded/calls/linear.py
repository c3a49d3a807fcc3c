"""Calls of linear algebra. What is not unique (signs of vectors) is recorded through what it must make up again."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.recorded.draws import Call, Draws, Given, calls, program


def matrices(d: Draws, *shape: int, kind: str = "floating") -> Given:
    return d.given(kind if d.chance(0.3) else "wide", (*d.shape(0, 1, empty=False), *shape), odd=False)


def square(d: Draws, positive: bool = False) -> Given:
    """Matrices that are far from singular; symmetric and positive definite if asked."""
    n = d.whole(1, 3)
    kind = d.dtype("wide") if d.chance(0.8) else np.dtype("complex64")
    x = d.array(kind, (*d.shape(0, 1, empty=False), n, n), -1.0, 1.0, odd=False)
    if positive:
        # Products of eighths are exact: the bits of the draw must not depend on the BLAS that multiplies.
        x = np.round(x * 8) / 8
        x = x @ np.conj(np.swapaxes(x, -1, -2))
    return Given((x + (1.5 + n) * np.eye(n)).astype(kind))


@calls("matmul linalg.matmul")
def matmul(d: Draws) -> Call:
    kind = d.dtype("number" if d.chance(0.4) else "wide")
    n, k, m = (d.whole(0 if d.chance(0.1) else 1, 3) for _ in "nkm")
    batch = d.shape(0, 2, empty=False)
    left_t, right_t = d.chance(0.25), d.chance(0.25)
    a = d.given(kind, (*batch, *((k, n) if left_t else (n, k))), odd=False)
    wrong = d.chance(0.03)
    inner = (m, k) if right_t else (k, m)
    b = d.given(kind, (*(batch if d.chance(0.7) else ()), *((9, 9) if wrong else inner)), odd=False)
    words: dict[str, Any] = {}
    if left_t:
        words[d.pick("transpose_a", "adjoint_a")] = True
    if right_t:
        words[d.pick("transpose_b", "adjoint_b")] = True
    return d.call(a, b, **words)


@calls("linalg.matvec")
def matvec(d: Draws) -> Call:
    kind, n, m = d.dtype("floating"), d.whole(1, 3), d.whole(1, 3)
    flip = d.chance(0.3)
    batch = d.shape(0, 1, empty=False)
    return d.call(
        d.given(kind, (*batch, *((m, n) if flip else (n, m))), odd=False),
        d.given(kind, (*batch, m), odd=False),
        transpose_a=flip,
    )


@calls("tensordot")
def tensordot(d: Draws) -> Call:
    kind, n = d.dtype("floating"), d.whole(1, 3)
    a, b = d.given(kind, (2, 3, n), odd=False), d.given(kind, (n, 3, 2), odd=False)
    return d.call(a, b, d.pick(1, [[2], [0]], [[1, 2], [1, 0]], [[-1], [0]], 0))


@calls("einsum")
def einsum(d: Draws) -> Call:
    kind, n = d.dtype("floating"), d.whole(1, 3)
    equation, shapes = d.pick(
        ("ij,jk->ik", [(2, n), (n, 3)]), ("ij,ij->", [(2, n), (2, n)]), ("bij,bjk->bik", [(2, n, 2), (2, 2, n)]),
        ("ii->i", [(n, n)]), ("...i->...", [(2, n, 3)]), ("ij->ji", [(n, 2)]), ("i,j->ij", [(n,), (3,)]),
        ("ij,kj", [(n, 2), (3, 2)]),
    )  # fmt: skip
    return d.call(equation, *[d.given(kind, s, odd=False) for s in shapes])


@calls("linalg.cross")
def cross(d: Draws) -> Call:
    kind, shape = d.dtype("real"), (*d.shape(0, 2), 3)
    return d.call(d.given(kind, shape, odd=False), d.given(kind, shape, odd=False))


@calls("linalg.trace linalg.adjoint linalg.matrix_transpose")
def of_matrices(d: Draws) -> Call:
    return d.call(d.given("number", d.shape(2), odd=False))


@calls("linalg.det linalg.inv linalg.logdet linalg.slogdet", loose=30)
def of_square(d: Draws) -> Call:
    return d.call(square(d, positive=True))


@calls("linalg.inv:adjoint", loose=30)
def adjoint_inverse(d: Draws) -> Call:
    return d.call(square(d), adjoint=True)


@calls("linalg.expm", loose=1000)
@calls("linalg.cholesky linalg.eigvalsh", loose=50)
def of_symmetric(d: Draws) -> Call:
    return d.call(square(d, positive=True), order=1)


@calls("linalg.pinv", loose=100)
def pinv(d: Draws) -> Call:
    return d.call(matrices(d, d.whole(1, 3), d.whole(1, 3), kind="wide"), order=0)


@calls("linalg.solve", loose=30)
def solve(d: Draws) -> Call:
    a = square(d)
    return d.call(a, d.given(a.array.dtype, (*a.array.shape[:-1], d.whole(1, 2)), odd=False), adjoint=d.optional(True))


@calls("linalg.triangular_solve", loose=30)
def triangular_solve(d: Draws) -> Call:
    a = square(d)
    b = d.given(a.array.dtype, (*a.array.shape[:-1], d.whole(1, 2)), odd=False)
    return d.call(a, b, lower=d.optional(True, False), adjoint=d.optional(True))


@calls("linalg.cholesky_solve", loose=30)
def cholesky_solve(d: Draws) -> Call:
    a = square(d)
    return d.call(Given(np.tril(a.array)), d.given(a.array.dtype, (*a.array.shape[:-1], 2), odd=False))


@calls("linalg.lstsq", loose=300)
def lstsq(d: Draws) -> Call:
    kind, n, m = d.dtype("wide"), d.whole(1, 4), d.whole(1, 4)
    a = d.array(kind, (n, m), -0.3, 0.3, odd=False) + 2 * np.eye(n, m, dtype=kind)
    b = d.given(kind, (n, 2), odd=False)
    return d.call(Given(a.astype(kind)), b, l2_regularizer=d.optional(0.5), fast=d.optional(True, False), order=1)


@calls("linalg.svd:values", loose=50)
def singular_values(d: Draws) -> Call:
    return d.call(matrices(d, d.whole(1, 3), d.whole(1, 3), kind="wide"), compute_uv=False, order=0)


@calls("linalg.qr:product", loose=50)
def orthogonal(d: Draws) -> Call:
    return d.call(matrices(d, d.whole(1, 3), d.whole(1, 3), kind="wide"), order=0)


@calls("linalg.eigh:product", loose=100)
def eigenvectors(d: Draws) -> Call:
    return d.call(square(d, positive=True), order=0)


@program("linalg.qr:product")
def product_of_qr(tf: Any, x: Any) -> Any:
    q, r = tf.linalg.qr(x)
    return tf.matmul(q, r), tf.abs(r)


@program("linalg.eigh:product")
def product_of_eigh(tf: Any, x: Any) -> Any:
    values, vectors = tf.linalg.eigh(x)
    return values, tf.matmul(vectors * tf.cast(values, x.dtype)[..., None, :], vectors, adjoint_b=True)


@calls("linalg.matrix_rank")
def matrix_rank(d: Draws) -> Call:
    return d.call(matrices(d, 2, 3, kind="wide"), tol=d.optional(None, 0.5), order=0)


@calls("linalg.lu", loose=30)
def lu(d: Draws) -> Call:
    return d.call(square(d), order=0)


def in_order(a: Given) -> Given:
    """A permutation that leaves the rows of matrices where they are."""
    return Given(np.broadcast_to(np.arange(a.array.shape[-1], dtype=np.int32), a.array.shape[:-1]).copy())


@calls("linalg.lu_solve", loose=30)
def lu_solve(d: Draws) -> Call:
    a = square(d)
    return d.call(a, in_order(a), d.given(a.array.dtype, (*a.array.shape[:-1], 2), odd=False), order=0)


@calls("linalg.lu_reconstruct linalg.lu_matrix_inverse", loose=30)
def lu_reconstruct(d: Draws) -> Call:
    a = square(d)
    return d.call(a, in_order(a), order=0)


@calls("linalg.sqrtm linalg.logm", loose=1000)
def of_positive_matrix(d: Draws) -> Call:
    return d.call(Given(square(d, positive=True).array.astype(np.complex64)), order=0)


@calls("linalg.normalize", loose=5)
def normalize(d: Draws) -> Call:
    x = d.given("wide", d.shape(1, 3, empty=False), odd=False)
    return d.call(x, ord=d.optional("euclidean", 1, np.inf), axis=d.pick(None, d.axis(x.array.ndim)), order=0)


@calls("linalg.tridiagonal_solve", loose=30)
def tridiagonal_solve(d: Draws) -> Call:
    kind, n = d.dtype("wide"), d.whole(1, 4)
    x = d.array(kind, (3, n), -1.0, 1.0, odd=False)
    x[1] += 4
    return d.call(Given(x), d.given(kind, (n, 2), odd=False), diagonals_format="compact", order=0)


@calls("linalg.tridiagonal_matmul", loose=5)
def tridiagonal_matmul(d: Draws) -> Call:
    kind, n = d.dtype("wide"), d.whole(1, 4)
    return d.call(d.given(kind, (3, n), odd=False), d.given(kind, (n, 2), odd=False), order=0)


@calls("linalg.banded_triangular_solve", loose=30)
def banded_triangular_solve(d: Draws) -> Call:
    kind, n = d.dtype("wide"), d.whole(2, 4)
    return d.call(d.given(kind, (2, n), 2.0, 3.0, odd=False), d.given(kind, (n, 2), odd=False), order=0)
