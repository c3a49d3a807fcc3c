"""Every kind of linear operator does what its dense matrix does."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

linalg = tf.linalg
RNG = np.random.RandomState(0)
M = np.array(
    [[[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 4.0]], [[3.0, -1, 0], [1, 2, 0.5], [0, 0.3, 2]]], np.float32
)
ONE, TWO = M[:, :1, :1], M[:, :2, :2]
U = RNG.randn(2, 3, 1).astype(np.float32)


def full(matrix: Any, **hints: Any) -> Any:
    return linalg.LinearOperatorFullMatrix(matrix, **hints)


Maker = Callable[[Callable[[Any], Any]], Any]
MAKERS: dict[str, Maker] = {
    "Adjoint": lambda p: linalg.LinearOperatorAdjoint(full(p(M))),
    "BlockDiag": lambda p: linalg.LinearOperatorBlockDiag([full(p(ONE)), full(p(TWO[0]))]),
    "BlockLowerTriangular": lambda p: linalg.LinearOperatorBlockLowerTriangular(
        [[full(p(ONE))], [full(p(M[0, :2, :1])), full(p(TWO))]]
    ),
    "Circulant": lambda p: linalg.LinearOperatorCirculant(
        p(np.array([[4.0, 1, 1], [5, 2, 2]], np.complex64)), tf.float32
    ),
    "Circulant2D": lambda p: linalg.LinearOperatorCirculant2D(p(np.array([[[4, 1j], [2, 3]]], np.complex64))),
    "Circulant3D": lambda p: linalg.LinearOperatorCirculant3D(p(np.array([[[[4.0, 1], [2, 3]]]], np.complex64))),
    "Composition": lambda p: linalg.LinearOperatorComposition([full(p(M)), full(p(M[0]))]),
    "Diag": lambda p: linalg.LinearOperatorDiag(p(M[:, 0] + 3)),
    "FullMatrix": lambda p: full(p(M)),
    "FullMatrix of a definite one": lambda p: full(p(M[:1]), is_self_adjoint=True, is_positive_definite=True),
    "Householder": lambda p: linalg.LinearOperatorHouseholder(p(M[:, 0])),
    "Identity": lambda p: linalg.LinearOperatorIdentity(3, batch_shape=[2]),
    "Inversion": lambda p: linalg.LinearOperatorInversion(full(p(M))),
    "Kronecker": lambda p: linalg.LinearOperatorKronecker([full(p(TWO)), full(p(M[0])), full(p(ONE))]),
    "LowRankUpdate": lambda p: linalg.LinearOperatorLowRankUpdate(
        full(p(M)), p(U), diag_update=p(np.float32([[0.5], [-0.5]])), v=p(U[::-1])
    ),
    "LowRankUpdate of a definite one": lambda p: linalg.LinearOperatorLowRankUpdate(
        linalg.LinearOperatorDiag(p(M[0, 2] + 1), is_positive_definite=True), p(U)
    ),
    "LowerTriangular": lambda p: linalg.LinearOperatorLowerTriangular(p(M)),
    "Permutation": lambda p: linalg.LinearOperatorPermutation(p(np.int32([[0, 2, 1], [2, 0, 1]]))),
    "ScaledIdentity": lambda p: linalg.LinearOperatorScaledIdentity(3, p(np.float32([2.0, -3.0]))),
    "Toeplitz": lambda p: linalg.LinearOperatorToeplitz(
        p(np.float32([[5.0, 1, 2], [4, 0, 1]])), p(np.float32([5.0, 2, 1]))
    ),
    "Tridiag": lambda p: linalg.LinearOperatorTridiag(p(np.float32([[[1.0, 2, 0], [4, 5, 4], [0, 1, 1]]]))),
    "Tridiag in sequence": lambda p: linalg.LinearOperatorTridiag(
        [p(np.float32([1.0, 2, 0])), p(np.float32([[4.0, 5, 4], [6, 7, 8]])), p(np.float32([0, 1.0, 1]))], "sequence"
    ),
    "Tridiag of a matrix": lambda p: linalg.LinearOperatorTridiag(
        p(np.float32([[4.0, 1, 0], [2, 5, 1], [0, 1, 3]])), "matrix"
    ),
    "Zeros": lambda p: linalg.LinearOperatorZeros(3, batch_shape=[2]),
    "Zeros, wide": lambda p: linalg.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False),
    "FullMatrix, wide": lambda p: full(p(M[:, :2])),
    "Composition, wide": lambda p: linalg.LinearOperatorComposition([full(p(M[:, :2])), full(p(M[0]))]),
    "Kronecker, wide": lambda p: linalg.LinearOperatorKronecker([full(p(M[:, :2])), full(p(M[0, :1]))]),
    "BlockDiag, wide": lambda p: linalg.LinearOperatorBlockDiag([full(p(M[:, :2])), full(p(M[0, :1]))], is_square=None),
}


def quantities(operator: Any, x: Any, rhs: Any) -> dict[str, Callable[[], Any]]:
    """Name -> what an operator gives; `x` has as many rows as it has columns, `rhs` as it has rows."""
    of_any = {
        "to_dense": operator.to_dense,
        "shape": operator.shape_tensor,
        "matmul": lambda: operator.matmul(x),
        "matmul adjoint": lambda: operator.matmul(rhs, adjoint=True),
        "matmul adjoint_arg": lambda: operator.matmul(linalg.adjoint(x), adjoint_arg=True),
        "matvec": lambda: operator.matvec(x[..., 0]),
        "adjoint": lambda: operator.H.to_dense(),
        "diag_part": operator.diag_part,
        "trace": operator.trace,
        "add_to_tensor": lambda: operator.add_to_tensor(operator.to_dense()),
        "tf.matmul": lambda: tf.matmul(operator, x),
        "tf.matmul from the left": lambda: tf.matmul(linalg.adjoint(rhs), operator),
    }
    of_square = {"det": operator.determinant}
    of_regular = {
        "log_abs_determinant": operator.log_abs_determinant,
        "solve": lambda: operator.solve(rhs),
        "solve adjoint": lambda: operator.solve(x, adjoint=True),
        "solve adjoint_arg": lambda: operator.solve(linalg.adjoint(rhs), adjoint_arg=True),
        "solvevec": lambda: operator.solvevec(rhs[..., 0]),
        "inverse": lambda: operator.inverse().to_dense(),
        "cond": lambda: tf.abs(operator.cond()),
    }
    if not operator.is_square:
        return of_any
    return of_any | of_square if operator.is_non_singular is False else of_any | of_square | of_regular


def wanted(dense: np.ndarray, x: np.ndarray, rhs: np.ndarray) -> dict[str, Callable[[], np.ndarray]]:
    """Name -> what the matrix gives."""
    adjoint = dense.conj().swapaxes(-1, -2)

    def solved(matrix: np.ndarray, b: np.ndarray) -> np.ndarray:
        lead = np.broadcast_shapes(matrix.shape[:-2], b.shape[:-2])
        return np.linalg.solve(
            np.broadcast_to(matrix, (*lead, *matrix.shape[-2:])), np.broadcast_to(b, (*lead, *b.shape[-2:]))
        )

    return {
        "to_dense": lambda: dense,
        "shape": lambda: np.array(dense.shape),
        "matmul": lambda: dense @ x,
        "matmul adjoint": lambda: adjoint @ rhs,
        "matmul adjoint_arg": lambda: dense @ x,
        "matvec": lambda: (dense @ x)[..., 0],
        "adjoint": lambda: adjoint,
        "diag_part": lambda: np.diagonal(dense, axis1=-1, axis2=-2),
        "trace": lambda: np.trace(dense, axis1=-1, axis2=-2),
        "add_to_tensor": lambda: 2 * dense,
        "tf.matmul": lambda: dense @ x,
        "tf.matmul from the left": lambda: rhs.conj().swapaxes(-1, -2) @ dense,
        "det": lambda: np.linalg.det(dense),
        "log_abs_determinant": lambda: np.linalg.slogdet(dense)[1],
        "solve": lambda: solved(dense, rhs),
        "solve adjoint": lambda: solved(adjoint, x),
        "solve adjoint_arg": lambda: solved(dense, rhs),
        "solvevec": lambda: solved(dense, rhs)[..., 0],
        "inverse": lambda: np.linalg.inv(dense),
        "cond": lambda: np.linalg.cond(dense),
    }


def operands(dense: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.RandomState(1)
    x, rhs = (rng.randn(2, side, 2).astype(dense.dtype) for side in dense.shape[:-3:-1])
    return x, rhs


def by_matmul(operator: Any) -> np.ndarray:
    """The matrix by its products with unit vectors, for which each kind has a rule of its own."""
    return operator.matmul(tf.eye(int(operator.domain_dimension), dtype=operator.dtype)).numpy()  # type: ignore[no-any-return]


def check(results: dict[str, Any], dense: np.ndarray, x: np.ndarray, rhs: np.ndarray) -> None:
    expected = wanted(dense, x, rhs)
    for name, result in results.items():
        np.testing.assert_allclose(result, expected[name](), rtol=2e-3, atol=2e-4, err_msg=name)


@pytest.mark.parametrize("kind", MAKERS)
def test_eager_results_are_those_of_the_matrix(kind: str) -> None:
    operator = MAKERS[kind](tf.constant)
    dense = by_matmul(operator)
    x, rhs = operands(dense)
    results = {name: give().numpy() for name, give in quantities(operator, tf.constant(x), tf.constant(rhs)).items()}
    check(results, dense, x, rhs)
    assert all(r.dtype == dense.dtype for name, r in results.items() if name not in ("shape", "cond"))


@pytest.mark.parametrize("kind", MAKERS)
def test_a_session_with_unknown_shapes_gives_the_same(kind: str) -> None:
    dense = by_matmul(MAKERS[kind](tf.constant))
    x, rhs = operands(dense)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        operator = MAKERS[kind](lambda value: tf.compat.v1.placeholder_with_default(value, None))
        fetches = {name: give() for name, give in quantities(operator, tf.constant(x), tf.constant(rhs)).items()}
        results = session.run(fetches)
    comparable = {name: result for name, result in results.items() if operator.is_square is not None}
    check(comparable or results, dense, x, rhs)


@pytest.mark.parametrize("kind", MAKERS)
def test_static_shapes_are_known_in_a_graph(kind: str) -> None:
    shape = MAKERS[kind](tf.constant).shape
    with tf.Graph().as_default():
        operator = MAKERS[kind](tf.constant)
        assert operator.shape == shape and operator.shape.is_fully_defined()
        assert operator.to_dense().shape == shape
        assert operator.matvec(tf.ones(operator.shape[-1:], operator.dtype)).shape == shape[:-1]


@pytest.mark.parametrize("kind", MAKERS)
def test_an_operator_passes_through_functions_loops_and_nests(kind: str) -> None:
    operator = MAKERS[kind](tf.constant)
    dense = operator.to_dense().numpy()
    x = tf.constant(operands(dense)[0])
    expected = operator.matmul(x).numpy()

    @tf.function
    def multiplied(op: Any) -> Any:
        return op.matmul(x), op

    @tf.function
    def looped(op: Any) -> Any:
        return tf.while_loop(lambda _: True, lambda o: (type(o)(**o.parameters),), (op,), maximum_iterations=2)[0]

    product, same = multiplied(operator)
    np.testing.assert_allclose(product, expected, rtol=1e-5, atol=1e-5)
    for copy in (same, looped(operator), tf.nest.map_structure(tf.identity, operator, expand_composites=True)):
        assert type(copy) is type(operator)
        np.testing.assert_allclose(copy.to_dense(), dense, rtol=1e-5, atol=1e-5)
    multiplied(MAKERS[kind](tf.constant))
    assert multiplied.experimental_get_tracing_count() == 1


DIFFERENTIABLE = [kind for kind in MAKERS if kind not in ("Identity", "Permutation", "Zeros", "Zeros, wide")]


@pytest.mark.parametrize("kind", DIFFERENTIABLE)
def test_gradients_are_those_of_the_dense_matrix(kind: str) -> None:
    variables: list[Any] = []

    def variable(value: np.ndarray) -> Any:
        variables.append(tf.Variable(value))
        return variables[-1]

    operator = MAKERS[kind](variable)
    x = tf.constant(operands(operator.to_dense().numpy())[0])
    assert set(map(id, operator.variables)) == set(map(id, variables))

    def gradients(loss: Callable[[], Any], order: int = 1) -> list[Any]:
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(tf.abs(loss()) ** 2)
            if order > 1:
                first = gradients(loss)
                value = tf.add_n([tf.reduce_sum(tf.abs(g) ** 2) for g in first])
        derivatives = tape.gradient(value, variables, unconnected_gradients="zero")
        return [tf.convert_to_tensor(g) for g in derivatives]  # type: ignore[no-any-return]

    for order in (1, 2):
        mine = gradients(lambda: operator.matmul(x), order)
        theirs = gradients(lambda: tf.matmul(operator.to_dense(), x), order)
        for one, two in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(one, two, rtol=2e-3, atol=2e-3)
    if operator.is_square:
        mine, theirs = (gradients(f) for f in (operator.determinant, lambda: linalg.det(operator.to_dense())))
        for one, two in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(one, two, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("kind", MAKERS)
def test_the_gradient_of_an_operator_is_an_operator(kind: str) -> None:
    operator = MAKERS[kind](tf.constant)
    x = tf.constant(operands(operator.to_dense().numpy())[0])
    with tf.GradientTape() as tape:
        tape.watch(operator)
        y = operator.matmul(x)
    gradient = tape.gradient(y, operator)
    has_derivatives = any(t.dtype.is_floating or t.dtype.is_complex for t in tf.nest.flatten(operator, True))
    assert type(gradient) is (type(operator) if has_derivatives else type(None))


def test_a_part_on_which_nothing_depends_has_a_gradient_of_zeros() -> None:
    one, two = full(M[0]), linalg.LinearOperatorDiag([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch([one, two])
        operator = linalg.LinearOperatorBlockDiag([one, two])
        y = one.matmul(M[0])
    first, second, whole = tape.gradient(y, [one, two, operator])
    assert second is None
    np.testing.assert_array_equal(whole.operators[0].to_dense(), first.to_dense())
    np.testing.assert_array_equal(whole.operators[1].to_dense(), np.zeros((2, 2)))


BATCHED = [kind for kind in MAKERS if "wide" not in kind]


@pytest.mark.parametrize("kind", BATCHED)
def test_slices_of_the_batch_are_those_of_the_matrices(kind: str) -> None:
    operator = MAKERS[kind](tf.constant)
    dense = operator.to_dense().numpy()
    for part in ((slice(0, 1),), (..., 0), (np.newaxis, slice(None, None, -1))) if dense.ndim > 2 else ((...,),):
        whole = part if Ellipsis in part else (*part, ...)
        got = operator[part]
        assert type(got) is type(operator) and got.name == operator.name
        np.testing.assert_allclose(got.to_dense(), dense[(*whole, slice(None), slice(None))], rtol=1e-5, atol=1e-5)


def test_vectorized_map_gives_operators_of_known_shape() -> None:
    def function(x: Any) -> Any:
        return full(x), linalg.LinearOperatorIdentity(3, batch_shape=[4])

    for mapped in (
        tf.vectorized_map(function, tf.constant(M)),
        tf.function(tf.vectorized_map)(function, tf.constant(M)),
    ):
        assert [operator.shape.as_list() for operator in mapped] == [[2, 3, 3], [2, 4, 3, 3]]
    with tf.Graph().as_default():
        operator, identity = tf.vectorized_map(function, tf.constant(M))
        assert operator.batch_shape == [2] and identity.batch_shape == [2, 4]


def test_map_fn_and_datasets_take_and_give_operators() -> None:
    operators = full(M)
    determinants = tf.map_fn(lambda op: op.determinant(), operators, fn_output_signature=tf.float32)
    np.testing.assert_allclose(determinants, np.linalg.det(M), rtol=1e-5)
    spec = linalg.LinearOperatorDiag([0.0, 0.0])._type_spec
    operators_of_rows = tf.map_fn(lambda row: linalg.LinearOperatorDiag(row[:2]), M[:, 0], fn_output_signature=spec)
    np.testing.assert_array_equal(operators_of_rows.diag, M[:, 0, :2])
    rows = list(tf.data.Dataset.from_tensor_slices(operators).map(lambda op: op.matvec(tf.ones([3]))))
    np.testing.assert_allclose(rows, M.sum(-1), rtol=1e-5)


def test_a_saved_function_takes_an_operator(tmp_path: Any) -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = linalg.LinearOperatorDiag(tf.Variable([1.0, 2.0, 3.0]))

        @tf.function(input_signature=[full(M[0])._type_spec])
        def product(self, operator: Any) -> Any:
            return operator.matmul(self.scale.to_dense())

    model = Model()
    path = os.fspath(tmp_path / "model")
    tf.saved_model.save(model, path)
    loaded = tf.saved_model.load(path)
    np.testing.assert_allclose(loaded.product(full(M[1])), M[1] * [1.0, 2.0, 3.0], rtol=1e-5)


def test_a_kind_of_ones_own_needs_a_shape_and_a_product() -> None:
    class Doubled(linalg.LinearOperator):
        """Twice a matrix."""

        def __init__(self, matrix: Any, is_non_singular: Any = None) -> None:
            self._matrix = tf.convert_to_tensor(matrix)
            super().__init__(self._matrix.dtype, is_non_singular=is_non_singular)

        def _shape(self) -> Any:
            return self._matrix.shape

        def _shape_tensor(self) -> Any:
            return tf.shape(self._matrix)

        def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
            return 2 * tf.matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    operator = Doubled(M, is_non_singular=True)
    x, rhs = operands(M)
    check({name: give().numpy() for name, give in quantities(operator, x, rhs).items()}, 2 * M, x, rhs)
    assert operator.parameters == {"matrix": M, "is_non_singular": True} and operator.name == "Doubled"
    assert isinstance(operator @ operator, linalg.LinearOperatorComposition)
    np.testing.assert_allclose(tf.function(lambda op: op.to_dense())(operator), 2 * M, rtol=1e-6)


def test_blocks_may_be_given_and_are_returned_as_lists() -> None:
    operator = linalg.LinearOperatorBlockLowerTriangular([[full(ONE)], [full(M[:, :2, :1]), full(TWO)]])
    blocks = [np.ones((2, 1, 2), np.float32), np.ones((2, 2, 2), np.float32)]
    whole = np.concatenate(blocks, -2)
    for method in ("matmul", "solve"):
        for adjoint in (False, True):
            parts = getattr(operator, method)(blocks, adjoint=adjoint)
            assert [part.shape.as_list() for part in parts] == [[2, 1, 2], [2, 2, 2]]
            np.testing.assert_allclose(
                tf.concat(parts, -2), getattr(operator, method)(whole, adjoint=adjoint), rtol=1e-4, atol=1e-5
            )
    vectors = operator.solvevec(operator.matvec([block[..., 0] for block in blocks]))
    np.testing.assert_allclose(tf.concat(vectors, -1), whole[..., 0], rtol=1e-4)


@pytest.mark.parametrize(
    ("operator", "assertion", "message"),
    [
        (lambda: linalg.LinearOperatorDiag([1.0, 0.0]), "assert_non_singular", "Singular operator"),
        (lambda: linalg.LinearOperatorDiag([1.0, -1.0]), "assert_positive_definite", "not positive definite"),
        (lambda: linalg.LinearOperatorDiag([1.0 + 0j, 1j]), "assert_self_adjoint", "not self-adjoint"),
        (lambda: full([[1.0, 1.0], [1.0, 1.0]]), "assert_non_singular", "Singular matrix"),
        (lambda: full([[0.0, 1.0], [0.0, 1.0]]), "assert_self_adjoint", "not equal to its adjoint"),
        (lambda: linalg.LinearOperatorScaledIdentity(2, 0.0), "assert_non_singular", "singular"),
        (lambda: linalg.LinearOperatorCirculant([1.0, 0.0]), "assert_non_singular", "Singular operator"),
        (lambda: linalg.LinearOperatorLowerTriangular([[1.0, 0], [1, 0]]), "assert_non_singular", "Singular operator"),
        (lambda: linalg.LinearOperatorZeros(2), "assert_positive_definite", "non-positive definite"),
    ],
)
def test_assertions_fail_where_they_do_not_hold(operator: Any, assertion: str, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        getattr(operator(), assertion)()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(getattr(operator(), assertion)())


def test_sizes_known_only_at_run_time_are_asserted_if_asked_for() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        rows = tf.compat.v1.placeholder(tf.int32)
        operator = linalg.LinearOperatorIdentity(rows, assert_proper_shapes=True)
        product = operator.matmul(tf.ones([3, 3]))
        assert session.run(operator.to_dense(), {rows: 2}).shape == (2, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be non-negative"):
            session.run(operator.to_dense(), {rows: -2})
        with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible"):
            session.run(product, {rows: 2})
