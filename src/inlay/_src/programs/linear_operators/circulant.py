"""Circulant linear operators, which the Fourier transform makes diagonal, and Toeplitz ones, which are part of one."""

from __future__ import annotations

from typing import Any, ClassVar

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.attributes import read_only
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, complex_numbers, joining, math, powers, ranges, rearranging, reductions, signal
from inlay._src.ops.asserting import assert_equal_v1, assert_less_v1
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.matmul import matrix_transpose
from inlay._src.programs.linear_operators.algebra import rule
from inlay._src.programs.linear_operators.assertions import no_zeros, positive_real, zero_imaginary
from inlay._src.programs.linear_operators.hints import hints_of, of_commuting, settle
from inlay._src.programs.linear_operators.operator import LinearOperator, SizedOperator, condition
from inlay._src.programs.linear_operators.parameters import parameter, require
from inlay._src.programs.linear_operators.sizes import Sizes, spread, turned

_TRANSFORMS = {1: (signal.fft, signal.ifft), 2: (signal.fft2d, signal.ifft2d), 3: (signal.fft3d, signal.ifft3d)}
"""Number of axes -> the Fourier transform over the last ones, and its inverse."""


def _complex(x: Any) -> Any:
    """Numbers as complex ones of their precision."""
    wide = (dtypes.float64, dtypes.complex128)
    return math.cast(x, dtypes.complex128 if x.dtype in wide else dtypes.complex64)


def _sum_or_real(x: Any, dtype: dtypes.DType) -> Any:
    """Complex numbers in a dtype; of a real one the real parts."""
    return math.cast(x if dtype.is_complex else complex_numbers.real(x), dtype)


@constructor("dtype", "graph_parents", "parameters", is_square=True)
class _Circulant(SizedOperator):
    """Base of (nested block) circulant matrices, [..., n, n], that `spectrum`, [..., n1, n2...], defines.

    The matrix is `F^H diag(spectrum) F`, with the discrete Fourier transform `F` over the axes of the blocks; n is
    the product of their sizes. A real spectrum makes the matrix self-adjoint, a Hermitian one makes it real.
    """

    _depth: ClassVar[int]

    def __init__(self, spectrum: Any, input_output_dtype: Any = dtypes.complex64, **hints: Any) -> None:
        self._spectrum = parameter(spectrum, "spectrum", self._depth)
        if not self._spectrum.dtype.is_complex:
            message = "A real spectrum always corresponds to a self-adjoint operator."
            settle(hints, "is_self_adjoint", True, message)
        settle(hints, "is_square", True, f"A {type(self).__name__} operator is always square.")
        super().__init__(input_output_dtype, **hints)

    spectrum: Tensor | Any = read_only(lambda self: self._spectrum, doc="The eigenvalues, [..., n1, n2...].")
    block_depth: int = read_only(lambda self: self._depth, doc="The number of axes of a block.")
    block_shape: TensorShape = read_only(
        lambda self: self._spectrum.shape[-self._depth :], doc="The static sizes of the blocks, [n1, n2...]."
    )

    @property
    def _matrix_ranks(self) -> dict[str, int]:  # type: ignore[override]
        return {"spectrum": self._depth}

    def _field(self, name: str) -> Any:
        return self.dtype if name == "input_output_dtype" else super()._field(name)

    def block_shape_tensor(self) -> Tensor:
        """The sizes of the blocks, an int32 vector."""
        return self._blocks().tensor()

    def _blocks(self) -> Sizes:
        return Sizes.of(self._spectrum)[-self._depth :]

    def _batch(self) -> Sizes:
        return Sizes.of(self._spectrum)[: -self._depth]

    def _sizes(self) -> Sizes:
        blocks = self._blocks()
        count = blocks.static.num_elements() if blocks.static.rank is not None else None
        side = Sizes(TensorShape([count]), lambda: array.expand_dims(reductions.reduce_prod(blocks.tensor()), 0))
        return self._batch() + side + side

    def _axes(self) -> list[int]:
        return list(range(-self._depth, 0))

    def _filtered(self, x: Any, spectrum: Any) -> Any:
        """Columns, [..., n, k], of which the transform is multiplied by a spectrum."""
        transform, inverse = _TRANSFORMS[self._depth]
        rows = _complex(matrix_transpose(x))
        blocks = Sizes.of(rows)[:-1] + self._blocks()
        shaped = array.reshape(rows, blocks.tensor())
        out = inverse(transform(shaped) * array.expand_dims(spectrum, -self._depth - 1))
        flat = Sizes.of(out)[: -self._depth] + Sizes.of(rows)[-1:]
        return _sum_or_real(matrix_transpose(array.reshape(out, flat.tensor())), self.dtype)

    def _turned(self, adjoint: bool) -> Any:
        spectrum = _complex(self._spectrum)
        return math.conj(spectrum) if adjoint else spectrum

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._filtered(turned(x, adjoint_arg), self._turned(adjoint))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._filtered(turned(rhs, adjoint_arg), 1 / self._turned(adjoint))

    def _determinant(self) -> Any:
        return _sum_or_real(reductions.reduce_prod(_complex(self._spectrum), self._axes()), self.dtype)

    def _log_abs_determinant(self) -> Any:
        sizes = powers.log(complex_numbers.abs(_complex(self._spectrum)))
        return math.cast(reductions.reduce_sum(sizes, self._axes()), self.dtype)

    def _trace(self) -> Any:
        return _sum_or_real(reductions.reduce_sum(_complex(self._spectrum), self._axes()), self.dtype)

    def _diag_part(self) -> Any:
        side = self.domain_dimension_tensor()
        mean = array.expand_dims(self._trace() / math.cast(side, self.dtype), -1)
        return mean * array.ones(array.expand_dims(side, 0), self.dtype)

    def _eigvals(self) -> Any:
        return array.reshape(convert_to_tensor(self._spectrum), self._sizes()[:-1].tensor())

    def _cond(self) -> Any:
        return math.cast(condition(_complex(self._eigvals())), self.dtype)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """The first column of the matrix in the shape of the spectrum: its inverse Fourier transform."""
        with self._scope(name):
            return _sum_or_real(_TRANSFORMS[self._depth][1](_complex(self._spectrum)), self.dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Operation | None:
        """An operation that fails with InvalidArgumentError unless the matrix is real; None while executing eagerly."""
        with self._scope(name):
            imaginary = complex_numbers.abs(complex_numbers.imag(_TRANSFORMS[self._depth][1](_complex(self._spectrum))))
            limit = array.constant(1e-5, imaginary.dtype) * math.cast(self.domain_dimension_tensor(), imaginary.dtype)
            return assert_less_v1(imaginary, limit, message="Spectrum was not Hermitian")

    def _assert_non_singular(self) -> Any:
        return no_zeros(_complex(self._spectrum), "Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self) -> Any:
        message = "Not positive definite:  Real part of spectrum was not all positive."
        return positive_real(self._spectrum, message)

    def _assert_self_adjoint(self) -> Any:
        message = "Not self-adjoint.  The spectrum contained non-zero imaginary part."
        return zero_imaginary(self._spectrum, message)


@export("linalg.LinearOperatorCirculant")
@constructor(name="LinearOperatorCirculant")
class LinearOperatorCirculant(_Circulant):
    """Circulant matrices, [..., n, n]: each column is the one before it, turned by one row.

    Args:
      spectrum: the eigenvalues, [..., n]: the Fourier transform of the first column; float or complex.
      input_output_dtype: the type of the matrix; of a real one, only the real part of the product is kept.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; a real spectrum is self-adjoint.

    Raises:
      ValueError: for fewer axes, or a hint that cannot be.
    """

    _depth = 1


@export("linalg.LinearOperatorCirculant2D")
@constructor(name="LinearOperatorCirculant2D")
class LinearOperatorCirculant2D(_Circulant):
    """Block circulant matrices, [..., n, n] with n = n1 * n2, of which each block is circulant.

    Args:
      spectrum: the eigenvalues, [..., n1, n2]; float or complex.
      input_output_dtype: the type of the matrix; of a real one, only the real part of the product is kept.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; a real spectrum is self-adjoint.

    Raises:
      ValueError: for fewer axes, or a hint that cannot be.
    """

    _depth = 2


@export("linalg.LinearOperatorCirculant3D")
@constructor(name="LinearOperatorCirculant3D")
class LinearOperatorCirculant3D(_Circulant):
    """Nested block circulant matrices, [..., n, n] with n = n1 * n2 * n3.

    Args:
      spectrum: the eigenvalues, [..., n1, n2, n3]; float or complex.
      input_output_dtype: the type of the matrix; of a real one, only the real part of the product is kept.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; a real spectrum is self-adjoint.

    Raises:
      ValueError: for fewer axes, or a hint that cannot be.
    """

    _depth = 3


@rule("adjoint", _Circulant)
def _circulant_adjoint(operator: Any) -> LinearOperator:
    return _like(operator, math.conj(operator.spectrum), hints_of(operator))


@rule("inverse", _Circulant)
def _circulant_inverse(operator: Any) -> LinearOperator:
    return _like(operator, 1 / operator.spectrum, hints_of(operator))


def _like(operator: Any, spectrum: Any, hints: Any) -> LinearOperator:
    return type(operator)(spectrum, operator.dtype, **hints)  # type: ignore[no-any-return]


for _kind in (LinearOperatorCirculant, LinearOperatorCirculant2D, LinearOperatorCirculant3D):

    @rule("matmul", _kind, _kind)
    def _circulant_times(left: Any, right: Any) -> LinearOperator:
        return _like(left, left.spectrum * right.spectrum, of_commuting(left, right))

    @rule("solve", _kind, _kind)
    def _circulant_solved(left: Any, right: Any) -> LinearOperator:
        return _like(left, right.spectrum / left.spectrum, of_commuting(left, right))


# ---------------------------------------------------------------- Toeplitz


@export("linalg.LinearOperatorToeplitz")
@constructor("dtype", "graph_parents", "parameters", name="LinearOperatorToeplitz")
class LinearOperatorToeplitz(SizedOperator):
    """Square matrices, [..., n, n], that are constant along each diagonal.

    Args:
      col: the first column, [..., n].
      row: the first row, [..., n]; its first element is ignored.

    Raises:
      ValueError: for a scalar, for different lengths, or if `is_square` is False.
    """

    _matrix_ranks = {"col": 1, "row": 1}

    def __init__(self, col: Any, row: Any, **hints: Any) -> None:
        self._col, self._row = parameter(col, "col", 1), parameter(row, "row", 1)
        fits = shapes.compatible(self._col.shape[-1:]._dims, self._row.shape[-1:]._dims)
        require(fits, "Expected square matrix, got row and col with mismatched dimensions.")
        settle(hints, "is_square", True, "Only square Toeplitz operators currently supported.")
        super().__init__(self._row.dtype, **hints)

    col: Tensor | Any = read_only(lambda self: self._col, doc="The first column, [..., n].")
    row: Tensor | Any = read_only(lambda self: self._row, doc="The first row, [..., n].")

    def _sizes(self) -> Sizes:
        column, row = Sizes.of(self._col), Sizes.of(self._row)
        return column[:-1].broadcast(row[:-1]) + row[-1:] + row[-1:]

    def _around(self) -> Any:
        """The first column of the circulant matrix, [..., 2 n - 1], of which this one is the upper left part."""
        batch = self._sizes()[:-2]
        column, row = spread(self._col, batch, 1), spread(self._row, batch, 1)
        return joining.concat([column, rearranging.reverse(row[..., 1:], [-1])], -1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x, column = turned(x, adjoint_arg), _complex(self._around())
        outer = LinearOperatorCirculant(signal.fft(column), column.dtype)
        x = _complex(x)
        padded = joining.concat([x, array.zeros_like(x[..., 1:, :])], -2)
        rows = self.domain_dimension_tensor()
        product = outer.matmul(padded, adjoint=adjoint)[..., :rows, :]
        return _sum_or_real(product, self.dtype)

    def _diag_part(self) -> Any:
        first = spread(self._col, self._sizes()[:-2], 1)[..., :1]
        return first * array.ones(self._sizes()[-1:].tensor(), self.dtype)

    def _to_dense(self) -> Any:
        side = self.domain_dimension_tensor()
        places = ranges.range_(side)
        distance = array.expand_dims(places, 1) - array.expand_dims(places, 0)
        index = array.where(math.less(distance, 0), distance + 2 * side - 1, distance)
        return gather_op(self._around(), index, -1, 0)

    def _assert_self_adjoint(self) -> Any:
        message = "row and col are not the same, and so this operator is not self-adjoint."
        return assert_equal_v1(self._row, self._col, message=message)
