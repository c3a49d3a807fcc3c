"""Linear operators of blocks, block diagonal and block lower triangular: arguments may be lists of blocks."""

from __future__ import annotations

import functools
import operator as python_operators
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types import nest, shapes
from inlay._src.base.types.attributes import read_only
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, control, joining
from inlay._src.ops.asserting import assert_proper_iterable
from inlay._src.programs.linear_operators.algebra import rule
from inlay._src.programs.linear_operators.composed import composition, of_one_dtype, product, solution
from inlay._src.programs.linear_operators.dense import LinearOperatorFullMatrix
from inlay._src.programs.linear_operators.hints import are_non_singular, hints_of, is_square_product, settle, settle_all
from inlay._src.programs.linear_operators.operator import LinearOperator, SizedOperator
from inlay._src.programs.linear_operators.parameters import require
from inlay._src.programs.linear_operators.sizes import Sizes, batch_of, same_batches, size_at, spread, turned


def sum_of(parts: Sequence[Any]) -> Any:
    """The sum of tensors."""
    return functools.reduce(python_operators.add, parts)


def _total(sizes: Sequence[Sizes]) -> Sizes:
    """The sum of the sizes of one axis each."""
    numbers = [size_at(one.static, 0) for one in sizes]
    total = None if None in numbers else sum(numbers)  # type: ignore[arg-type]
    return Sizes(TensorShape([total]), lambda: sum_of([one.tensor() for one in sizes]))


def is_blockwise(sizes: Sequence[int | None], x: Any, axis: int) -> bool:
    """Whether an argument is a list of blocks rather than a nested list that becomes one tensor.

    Args:
      sizes: the sizes of the blocks that are wanted, None where they are not known.
      x: the argument.
      axis: the axis along which it would be split.

    Raises:
      ValueError: if it may be either, or neither.
    """
    if not isinstance(x, (list, tuple)) or len(x) != len(sizes):
        return False
    if not any(map(nest.is_nested, x)):
        return True
    lengths = [size_at(convert_to_tensor(part).shape, axis) for part in x]
    are_equal = all(length == lengths[0] for length in lengths)
    if all(size is None for size in sizes):
        what = "Please input a blockwise iterable of `Tensor`s or a single `Tensor`."
        require(len(lengths) == 1 or not are_equal, f"Parsing of the input structure is ambiguous. {what}")
        return len(lengths) > 1
    if all(size in (None, length) for size, length in zip(sizes, lengths, strict=True)):
        return True
    fits_whole = are_equal and lengths[0] is not None and lengths[0] >= sum(size or 0 for size in sizes)
    require(fits_whole, "Input dimension does not match operator dimension.")
    return False


class _Blockwise(SizedOperator):
    """Base of operators of square or rectangular blocks on a diagonal, and more below it."""

    def _diagonal(self) -> list[Any]:
        """The operators on the diagonal."""
        raise NotImplementedError

    def _multiplied(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        """The blocks of the product with a list of blocks."""
        raise NotImplementedError

    def _solved(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        """The blocks of the solution for a list of blocks."""
        raise NotImplementedError

    def _batch(self) -> Sizes:
        return batch_of(*self._diagonal())

    def _sides(self, axis: int) -> list[Sizes]:
        """The numbers of rows, for axis -2, or of columns of the blocks on the diagonal."""
        return [Sizes.of(operator)[-2:][axis + 2 : axis + 3] for operator in self._diagonal()]

    def _sizes(self) -> Sizes:
        return self._batch() + _total(self._sides(-2)) + _total(self._sides(-1))

    # ---- arguments in blocks, or whole

    def _are_blocks(self, x: Any, wanted: int, axis: int) -> bool:
        """Whether an argument is a list of blocks of the sizes of the rows (-2) or columns (-1) along an axis of it."""
        sizes = [size_at(side.static, 0) for side in self._sides(wanted)]
        return not isinstance(x, LinearOperator) and is_blockwise(sizes, x, axis)

    def _applied(self, operation: str, x: Any, adjoint: bool, adjoint_arg: bool, name: str) -> Any:
        wanted, axis = -2 if adjoint != (operation == "solve") else -1, -1 if adjoint_arg else -2
        if not self._are_blocks(x, wanted, axis):
            return super()._applied(operation, x, adjoint, adjoint_arg, name)
        with self._scope(name):
            blocks = [self._typed(block) for block in x]
            for side, block in zip(self._sides(wanted), blocks, strict=True):
                shapes.Dimension(size_at(side.static, 0)).assert_is_compatible_with(size_at(block.shape, axis))
            blocks = [turned(block, adjoint_arg) for block in blocks]
            return (self._multiplied if operation == "matmul" else self._solved)(blocks, adjoint)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Tensor | Any:
        """The product of the matrix and vectors, [..., n] or a list of blocks; see `matmul`."""
        if not self._are_blocks(x, -2 if adjoint else -1, -1):
            return super().matvec(x, adjoint, name)
        columns: Any = self.matmul(_as_columns(x), adjoint=adjoint, name=name)
        return _as_vectors(columns)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Tensor | Any:
        """The solution of `A x = rhs` for vectors, [..., m] or a list of blocks; see `solve`."""
        if not self._are_blocks(rhs, -1 if adjoint else -2, -1):
            return super().solvevec(rhs, adjoint, name)
        columns: Any = self.solve(_as_columns(rhs), adjoint=adjoint, name=name)
        return _as_vectors(columns)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._whole(self._multiplied, turned(x, adjoint_arg), self._sides(-2 if adjoint else -1), adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._whole(self._solved, turned(rhs, adjoint_arg), self._sides(-1 if adjoint else -2), adjoint)

    def _whole(self, apply: Callable[..., list[Any]], x: Any, sides: list[Sizes], adjoint: bool) -> Any:
        """`apply` for the blocks of rows of a tensor, and the blocks of the result as one."""
        lengths = joining.concat([side.tensor() for side in sides], 0)
        return joining.concat(same_batches(*apply(joining.split(x, lengths, -2, len(sides)), adjoint)), -2)

    # ---- what the blocks on the diagonal say

    def _all_square(self) -> bool:
        return all(operator.is_square for operator in self._diagonal())

    def _numbers(self, method: str) -> list[Any]:
        """A number of each block on the diagonal, [...]."""
        return [spread(getattr(operator, method)(), self._batch(), 0) for operator in self._diagonal()]

    def _vectors(self, method: str) -> Any:
        """A vector of each block on the diagonal, one after the other, [..., n]."""
        return joining.concat(
            [spread(getattr(operator, method)(), self._batch(), 1) for operator in self._diagonal()], -1
        )

    def _determinant(self) -> Any:
        return product(self._numbers("determinant")) if self._all_square() else super()._determinant()

    def _log_abs_determinant(self) -> Any:
        return sum_of(self._numbers("log_abs_determinant")) if self._all_square() else super()._log_abs_determinant()

    def _trace(self) -> Any:
        return sum_of(self._numbers("trace")) if self._all_square() else super()._trace()

    def _diag_part(self) -> Any:
        return self._vectors("diag_part") if self._all_square() else super()._diag_part()

    def _eigvals(self) -> Any:
        return self._vectors("eigvals")

    def _assert_non_singular(self) -> Any:
        if not self._all_square():
            return super()._assert_non_singular()
        return control.group(*[operator.assert_non_singular() for operator in self._diagonal()])


def _as_columns(blocks: Sequence[Any]) -> list[Any]:
    return [array.expand_dims(block, -1) for block in blocks]


def _as_vectors(blocks: Sequence[Any]) -> list[Any]:
    return [array.squeeze(block, [-1]) for block in blocks]


@export("linalg.LinearOperatorBlockDiag")
@constructor("dtype", "graph_parents", "parameters", is_square=True)
class LinearOperatorBlockDiag(_Blockwise):
    """Matrices, [..., m, n], of linear operators on the diagonal.

    Args:
      operators: a list of operators of one type, [..., m1, n1] each; m and n are the sums. Batch shapes broadcast.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; those that all operators have hold.
      name: the operator's name; those of `operators` with "_ds_" between them if None.

    Raises:
      ValueError: for an empty list, or a hint that cannot be.
      TypeError: for operators of several types.
    """

    def __init__(self, operators: Any, **hints: Any) -> None:
        self._operators = of_one_dtype(operators)
        settle_all(hints, self._operators, "direct sum")
        hints["name"] = hints.get("name") or "_ds_".join(operator.name for operator in self._operators)
        super().__init__(self._operators[0].dtype, **hints)

    operators: list[Any] = read_only(lambda self: list(self._operators), doc="The operators on the diagonal.")

    def _diagonal(self) -> list[Any]:
        return self._operators

    def _multiplied(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        return [o.matmul(block, adjoint=adjoint) for o, block in zip(self._operators, blocks, strict=True)]

    def _solved(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        return [o.solve(block, adjoint=adjoint) for o, block in zip(self._operators, blocks, strict=True)]

    def _assert_positive_definite(self) -> Any:
        return control.group(*[operator.assert_positive_definite() for operator in self._operators])

    def _assert_self_adjoint(self) -> Any:
        return control.group(*[operator.assert_self_adjoint() for operator in self._operators])


@rule("adjoint", LinearOperatorBlockDiag)
def _diagonal_adjoint(operator: Any) -> LinearOperator:
    return LinearOperatorBlockDiag([block.adjoint() for block in operator.operators], **hints_of(operator))


@rule("inverse", LinearOperatorBlockDiag)
def _diagonal_inverse(operator: Any) -> LinearOperator:
    return LinearOperatorBlockDiag([block.inverse() for block in operator.operators], **hints_of(operator))


@rule("cholesky", LinearOperatorBlockDiag)
def _diagonal_cholesky(operator: Any) -> LinearOperator:
    return LinearOperatorBlockDiag([block.cholesky() for block in operator.operators], is_non_singular=True)


def _blocks_fit(left: Any, right: Any) -> bool:
    """Whether blocks of two operators are known to have fitting sizes."""
    one, two = (
        [size_at(side.static, 0) for side in sides] for sides in (left._sides(-1), right._sides(-2))
    )  # fmt: skip
    return len(one) == len(two) and all(None in pair or pair[0] == pair[1] for pair in zip(one, two, strict=True))


def _of_pairs(operation: str, left: Any, right: Any) -> LinearOperator:
    pairs = zip(left.operators, right.operators, strict=True)
    blocks = [getattr(one, operation)(two) for one, two in pairs]
    hints = {"is_non_singular": are_non_singular(left, right), "is_square": is_square_product(left, right)}
    return LinearOperatorBlockDiag(blocks, **hints)


@rule("matmul", LinearOperatorBlockDiag, LinearOperatorBlockDiag)
def _diagonals_multiplied(left: Any, right: Any) -> LinearOperator:
    return _of_pairs("matmul", left, right) if _blocks_fit(left, right) else composition(left, right)


@rule("solve", LinearOperatorBlockDiag, LinearOperatorBlockDiag)
def _diagonal_solved(left: Any, right: Any) -> LinearOperator:
    return _of_pairs("solve", left, right) if _blocks_fit(left, right) else solution(left, right)


@export("linalg.LinearOperatorBlockLowerTriangular")
@constructor("dtype", "graph_parents", "parameters", name="LinearOperatorBlockLowerTriangular")
class LinearOperatorBlockLowerTriangular(_Blockwise):
    """Square matrices, [..., n, n], of linear operators on the diagonal and below it.

    Args:
      operators: a list of the rows of blocks; row `i` is a list of `i + 1` operators, the last of them square.

    Raises:
      ValueError: for rows of another length, sizes that do not fit, or a hint that cannot be.
      TypeError: for operators of several types.
    """

    def __init__(self, operators: Any, **hints: Any) -> None:
        assert_proper_iterable(operators)
        for row in operators:
            assert_proper_iterable(row)
        self._operators = [list(row) for row in operators]
        require(self._operators, f"Argument `operators` must be a list of >=1 operators. Received: {operators}.")
        for i, row in enumerate(self._operators):
            message = f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: {len(row)} blocks."
            require(len(row) == i + 1, message)
        dtype = of_one_dtype([operator for row in self._operators for operator in row])[0].dtype
        self._check_sizes()
        are_non_singular = [operator.is_non_singular for operator in self._diagonal()]
        for value, words in ((True, "non-singular operators"), (False, "a singular operator")):
            if all(are_non_singular) if value else False in are_non_singular:
                message = f"A blockwise lower-triangular operator with {words} on the main diagonal is always"
                settle(hints, "is_non_singular", value, f"{message} {words.split()[-2]}.")
        message = f"`{type(self).__name__}` must be square. Expected argument `is_square` to be True. Received: False."
        settle(hints, "is_square", True, message)
        super().__init__(dtype, **hints)

    operators: list[list[Any]] = read_only(lambda self: [list(r) for r in self._operators], doc="The rows of blocks.")

    def _check_sizes(self) -> None:
        """Raises ValueError for sizes that are known not to fit."""
        for i, operator in enumerate(self._diagonal()):
            require(operator.is_square is not False, f"Argument `operators[{i}][{i}]` must be square.")
        for i, row in enumerate(self._operators):
            for j, operator in enumerate(row[:-1]):
                for what, k in (("domain", j), ("range", i)):
                    size = getattr(operator, f"{what}_dimension").value
                    wanted = getattr(self._operators[k][k], f"{what}_dimension").value
                    message = (
                        f"Argument `operators[{i}][{j}].{what}_dimension` ({size}) must be the same as "
                        f"`operators[{k}][{k}].{what}_dimension` ({wanted})."
                    )
                    require(None in (size, wanted) or size == wanted, message)

    def _diagonal(self) -> list[Any]:
        return [row[-1] for row in self._operators]

    def _batch(self) -> Sizes:
        return batch_of(*[operator for row in self._operators for operator in row])

    def _below(self, k: int, adjoint: bool) -> list[tuple[int, Any]]:
        """The blocks beside that of the diagonal in row `k` of the matrix or its adjoint, with their columns."""
        if adjoint:
            return [(i, self._operators[i][k]) for i in range(k + 1, len(self._operators))]
        return list(enumerate(self._operators[k][:-1]))

    def _multiplied(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        return [
            sum_of(
                [operator.matmul(blocks[i], adjoint=adjoint) for i, operator in [(k, own), *self._below(k, adjoint)]]
            )
            for k, own in enumerate(self._diagonal())
        ]

    def _solved(self, blocks: list[Any], adjoint: bool) -> list[Any]:
        solved: dict[int, Any] = {}
        order = range(len(blocks))
        for k in reversed(order) if adjoint else order:
            rest = blocks[k]
            for i, operator in self._below(k, adjoint):
                rest = rest - operator.matmul(solved[i], adjoint=adjoint)
            solved[k] = self._operators[k][k].solve(rest, adjoint=adjoint)
        return [solved[k] for k in order]


@rule("inverse", LinearOperatorBlockLowerTriangular)
def _triangular_inverse(operator: Any) -> LinearOperator:
    """The inverse by forward substitution: `B_ij = -A_ii^-1 sum(A_ik B_kj for j <= k < i)`."""
    rows: list[list[Any]] = []
    for i, row in enumerate(operator.operators):
        below = [
            LinearOperatorFullMatrix(-row[i].solve(sum_of([row[k].matmul(rows[k][j].to_dense()) for k in range(j, i)])))
            for j in range(i)
        ]
        rows.append([*below, row[i].inverse()])
    return LinearOperatorBlockLowerTriangular(rows, is_non_singular=True, is_square=True)
