"""Initializers: callables of a shape and a dtype that make first values. The 1.x and 2.x forms differ in defaults.

`first_value` says what a variable made by name starts from: an initializer, its class, a function, or a value.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, complex_numbers, diagonals, linalg, matmul, random


@export("initializers.Initializer")
class Initializer:
    """Makes a tensor from a shape and a type. Subclasses define `__call__` and `get_config`."""

    _in_parts: ClassVar[bool] = True
    """Whether a part of a variable can be made without the others."""
    _repeats: ClassVar[bool] = True
    """Whether with a seed every call gives the same numbers, as in 2.x."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} defines no __call__")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer, as plain data."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """The initializer that `get_config` described."""
        return cls(**config)


def _dims(shape: Any) -> list[int]:
    dims = shapes.as_shape(shape)
    if not dims.is_fully_defined():
        raise ValueError(f"an initializer needs a fully known shape, got {dims}")
    return dims.as_list()  # type: ignore[return-value]


_OF_PARTS = ("partition_shape", "partition_offset")


def _wanted(initializer: Initializer, shape: Any, more: dict[str, Any]) -> Any:
    """The shape to make: that of the part, if keywords say that it is one.

    Raises:
      TypeError: for other keywords.
      ValueError: if the initializer needs the whole.
    """
    for name in more:
        if name not in _OF_PARTS:
            raise TypeError(f"Keyword argument should be one of {list(_OF_PARTS)}. Received: {name}")
    if more and not initializer._in_parts:
        raise ValueError(f"{type(initializer).__name__} initializer doesn't support partition-related arguments")
    part = more.get("partition_shape")
    return shape if part is None else part


class Typed(Initializer):
    """An initializer with a default type, and with its constructor's parameters as attributes."""

    _floating_only: ClassVar[bool] = False
    """Whether another default type than a floating one is refused where the initializer is made."""

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype: DType = dtypes.as_dtype(dtype)
        if self._floating_only and not self.dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {self.dtype}.")

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any) -> Tensor:
        dims, kind = _dims(_wanted(self, shape, kwargs)), self.dtype if dtype is None else dtypes.as_dtype(dtype)
        return self._values(dims, kind) if partition_info is None else self._part(dims, kind, partition_info)

    def _values(self, dims: list[int], kind: DType) -> Any:
        raise NotImplementedError

    def _part(self, dims: list[int], kind: DType, partition_info: Any) -> Any:
        """The values of one part of a variable; `partition_info` has the `full_shape` and the part's `var_offset`."""
        return self._values(dims, kind)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer, as plain data."""
        arguments = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
        return {**arguments, "dtype": self.dtype.name}


def _floating(kind: DType) -> DType:
    if not kind.is_floating:
        raise ValueError(f"Expected floating point dtype, got {kind!r}.")
    return kind


@export("initializers.Zeros", "zeros_initializer", "initializers.zeros", "compat.v1.initializers.zeros")
class Zeros(Typed):
    """Zeros (empty strings, False)."""

    def _values(self, dims: list[int], kind: DType) -> Any:
        return array.zeros(dims, kind)


@export("initializers.Ones", "ones_initializer", "initializers.ones", "compat.v1.initializers.ones")
class Ones(Typed):
    """Ones."""

    def _values(self, dims: list[int], kind: DType) -> Any:
        if not (kind.is_numeric or kind.is_bool):
            raise ValueError(f"Expected numeric or boolean dtype, got {kind!r}.")
        return array.ones(dims, kind)


@export("initializers.Constant", "constant_initializer", "initializers.constant")
class Constant(Initializer):
    """One value, or values for every position.

    Args:
      value: a number, or an array with as many elements as the shape.
      dtype: the default type; None takes the value's.
      verify_shape: require `value` to have exactly the shape asked for.
    """

    value: Any
    verify_shape: bool

    _in_parts = False
    _constant: ClassVar[Callable[..., Any]] = staticmethod(array.constant)

    def __init__(self, value: Any = 0, dtype: Any = None, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {value} of type {type(value).__name__}. Expected Python scalar, "
                "list or tuple of values, or numpy.ndarray."
            )
        self.value, self.verify_shape = value, verify_shape
        self.dtype: DType | None = None if dtype is None else dtypes.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, verify_shape: Any = None, **kwargs: Any
    ) -> Tensor:
        wanted, shape = self.dtype if dtype is None else dtypes.as_dtype(dtype), _wanted(self, shape, kwargs)
        verify = self.verify_shape if verify_shape is None else verify_shape
        dims = None if shape is None else _dims(shape)
        return self._constant(self.value, wanted, dims, "Const", verify)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer, as plain data."""
        value = self.value.tolist() if isinstance(self.value, np.ndarray) else self.value
        return {"value": value, "dtype": None if self.dtype is None else self.dtype.name}


class _NormalInitializer(Typed):
    """Numbers around a mean."""

    mean: float
    seed: int | None
    stddev: float

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(dtype)
        self.mean, self.stddev, self.seed = mean, stddev, seed


@export("initializers.RandomNormal", "random_normal_initializer", "initializers.random_normal")
class RandomNormal(_NormalInitializer):
    """Normal numbers."""

    def _values(self, dims: list[int], kind: DType) -> Any:
        if self._repeats and self.seed is not None:
            return random.stateless_normal(dims, [self.seed, 0], self.mean, self.stddev, _floating(kind))
        return random.normal(dims, self.mean, self.stddev, _floating(kind), self.seed, "random_normal")


@export("initializers.TruncatedNormal", "initializers.truncated_normal")
class TruncatedNormal(_NormalInitializer):
    """Normal numbers; those more than two standard deviations from the mean are drawn again."""

    def _values(self, dims: list[int], kind: DType) -> Any:
        return random.truncated_normal(dims, self.mean, self.stddev, _floating(kind), self.seed, "truncated_normal")


@export("initializers.RandomUniform", "random_uniform_initializer", "initializers.random_uniform")
class RandomUniform(Typed):
    """Uniform numbers in [minval, maxval); integers too, if the type asked for is one."""

    maxval: Any
    minval: Any
    seed: int | None

    def __init__(
        self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(dtype)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def _values(self, dims: list[int], kind: DType) -> Any:
        high = self.maxval
        if high is None:
            if kind.is_integer:
                raise ValueError(f"Must specify maxval for integer dtype {kind.name}")
            high = 1.0
        if self._repeats and self.seed is not None:
            return random.stateless_uniform(dims, [self.seed, 0], self.minval, high, kind)
        return random.uniform(dims, self.minval, high, kind, self.seed, "random_uniform")


@export(
    "initializers.VarianceScaling",
    "variance_scaling_initializer",
    "initializers.variance_scaling",
    "compat.v1.initializers.variance_scaling",
)
class VarianceScaling(Typed):
    """Random numbers whose variance is `scale` over the number of inputs, outputs or their mean.

    Args:
      scale: a positive factor.
      mode: "fan_in", "fan_out" or "fan_avg".
      distribution: "truncated_normal" (or "normal"), "untruncated_normal" or "uniform".
      seed: makes the values reproducible.
      dtype: the default type.
    """

    _floating_only = True

    scale: float
    seed: int | None

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"`scale` must be positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Invalid `mode` argument: {mode}; expected 'fan_in', 'fan_out' or 'fan_avg'")
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Invalid `distribution` argument: {distribution}")
        super().__init__(dtype)
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def _values(self, dims: list[int], kind: DType) -> Any:
        return self._scaled(dims, kind, dims)

    def _part(self, dims: list[int], kind: DType, partition_info: Any) -> Any:
        return self._scaled(dims, kind, list(partition_info.full_shape))

    def _scaled(self, dims: list[int], kind: DType, full_shape: list[int]) -> Any:
        _floating(kind)
        fan_in, fan_out = fans(full_shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        scale = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return random.uniform(dims, -limit, limit, kind, self.seed, "random_uniform")
        if self.distribution == "untruncated_normal":
            return random.normal(dims, 0.0, math.sqrt(scale), kind, self.seed, "random_normal")
        # The standard deviation of a normal variable cut off at two standard deviations.
        stddev = math.sqrt(scale) / 0.87962566103423978
        return random.truncated_normal(dims, 0.0, stddev, kind, self.seed, "truncated_normal")


def fans(dims: Sequence[int]) -> tuple[int, int]:
    """The numbers of inputs and outputs that a weight of this shape connects; leading axes are a receptive field."""
    if not dims:
        return 1, 1
    if len(dims) == 1:
        return dims[0], dims[0]
    field = math.prod(dims[:-2])
    return field * dims[-2], field * dims[-1]


class _Scaled(VarianceScaling):
    """A named recipe of `VarianceScaling`."""

    _floating_only = False

    _recipe: tuple[float, str, str] = (1.0, "fan_avg", "uniform")

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(*self._recipe, seed, dtype)


@export(
    "initializers.GlorotUniform",
    "glorot_uniform_initializer",
    "initializers.glorot_uniform",
    "compat.v1.initializers.glorot_uniform",
)
class GlorotUniform(_Scaled):
    """Uniform numbers whose variance is 2 over the sum of inputs and outputs (Glorot and Bengio)."""

    _recipe = (1.0, "fan_avg", "uniform")


@export(
    "initializers.GlorotNormal",
    "glorot_normal_initializer",
    "initializers.glorot_normal",
    "compat.v1.initializers.glorot_normal",
)
class GlorotNormal(_Scaled):
    """Truncated normal numbers whose variance is 2 over the sum of inputs and outputs (Glorot and Bengio)."""

    _recipe = (1.0, "fan_avg", "truncated_normal")


@export("initializers.HeUniform", "initializers.he_uniform", "compat.v1.initializers.he_uniform")
class HeUniform(_Scaled):
    """Uniform numbers whose variance is 2 over the number of inputs (He et al.)."""

    _recipe = (2.0, "fan_in", "uniform")


@export("initializers.HeNormal", "initializers.he_normal", "compat.v1.initializers.he_normal")
class HeNormal(_Scaled):
    """Truncated normal numbers whose variance is 2 over the number of inputs (He et al.)."""

    _recipe = (2.0, "fan_in", "truncated_normal")


@export("initializers.LecunUniform", "initializers.lecun_uniform", "compat.v1.initializers.lecun_uniform")
class LecunUniform(_Scaled):
    """Uniform numbers whose variance is 1 over the number of inputs (LeCun)."""

    _recipe = (1.0, "fan_in", "uniform")


@export("initializers.LecunNormal", "initializers.lecun_normal", "compat.v1.initializers.lecun_normal")
class LecunNormal(_Scaled):
    """Truncated normal numbers whose variance is 1 over the number of inputs (LeCun)."""

    _recipe = (1.0, "fan_in", "truncated_normal")


@export(
    "initializers.Orthogonal", "orthogonal_initializer", "initializers.orthogonal", "compat.v1.initializers.orthogonal"
)
class Orthogonal(Typed):
    """A matrix with orthonormal rows or columns (all leading axes taken as one), times `gain`."""

    _in_parts = False
    _floating_only = True

    gain: float
    seed: int | None

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(dtype)
        self.gain, self.seed = gain, seed

    def _values(self, dims: list[int], kind: DType) -> Any:
        if len(dims) < 2:
            raise ValueError(f"The tensor to initialize must be at least two-dimensional. Received: shape={dims}")
        rows, columns = math.prod(dims[:-1]), dims[-1]
        square = [max(rows, columns), min(rows, columns)]
        draws = random.normal(square, 0.0, 1.0, kind, self.seed, "random_normal")
        q, r = linalg.qr(draws)
        q = q * complex_numbers.sign(
            diagonals.tensor_diag_part(r)
        )  # without this, not every orthogonal matrix is as likely
        if rows < columns:
            q = matmul.matrix_transpose(q)
        return array.reshape(self.gain * q, dims)


@export("initializers.Identity", "initializers.identity")
class Identity(Typed):
    """The identity matrix times `gain`."""

    _in_parts = False
    _floating_only = True

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32) -> None:
        super().__init__(dtype)
        self.gain = gain

    def _values(self, dims: list[int], kind: DType) -> Any:
        if len(dims) != 2:
            raise ValueError(f"The tensor to initialize must be two-dimensional. Received: shape={dims}")
        return convert_to_tensor((self.gain * np.eye(dims[0], dims[1])).astype(kind.np))


# ---------------------------------------------------------------- what a variable made by name starts from


def first_value(name: str, shape: Any, kind: DType, initializer: Any, validate_shape: bool, part: Any = None) -> Any:
    """The initial value of a `Variable`, or a function that computes it; `part` names the part of a partitioned one.

    Raises:
      ValueError: if the shape is not known, or there is no default for the type.
    """
    if isinstance(initializer, type):
        initializer = initializer(dtype=kind) if issubclass(initializer, Typed) else initializer()
    if initializer is None:
        initializer = _default_initializer(name, kind)
    if not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return initializer
    if shape is None:
        if isinstance(initializer, Initializer):
            raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was <unknown>.")
        if not _callable_without_arguments(initializer):
            raise ValueError(
                "The initializer passed is not valid. It should be a callable with no arguments and the shape should "
                "not be provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
            )
        return initializer
    dims = shapes.as_shape(shape)
    if validate_shape and not dims.is_fully_defined():
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was {dims}.")
    return lambda: _called(initializer, dims, kind, part)


def _callable_without_arguments(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind()
    except TypeError:
        return False
    except ValueError:  # it has no signature to be had
        return True
    return True


def _called(initializer: Callable[..., Any], dims: Any, kind: DType, part: Any) -> Any:
    """An initializer takes a shape and a type; plain functions may take no arguments, or the shape only."""
    if part is None and isinstance(initializer, Initializer):
        return initializer(dims.as_list(), dtype=kind)
    try:
        parameters = inspect.signature(initializer).parameters
    except (TypeError, ValueError):
        return initializer(dims.as_list(), dtype=kind)
    if not parameters:
        return initializer()
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    options = {"dtype": kind} if takes_any or "dtype" in parameters else {}
    if part is not None and "partition_info" in parameters:
        options["partition_info"] = part
    return initializer(dims.as_list(), **options)


def _default_initializer(name: str, kind: DType) -> Any:
    if kind.is_floating:
        return GlorotUniform(dtype=kind)
    if kind.is_integer or kind.is_bool or kind is dtypes.string:
        return Zeros(dtype=kind)
    raise ValueError(f"An initializer for variable {name} of {kind!r} is required")
