"""The base class of distributions: public methods, each computed from the methods that a subclass defines.

    sample(shape, seed) ─▶ _sample_n(count, seed) ─▶ reshaped to shape + batch + event
    log_prob(value)     ─▶ _log_prob(value), or the logarithm of _prob(value)
    mean()              ─▶ _mean()

A subclass defines the methods with an underscore that it can. The shape of a batch is that of the parameters which
broadcast, that of an event that of one outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor, get_static_value
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math, powers, reductions
from inlay._src.ops.joining import concat
from inlay._src.tf1.distributions import divergence


@export("compat.v1.distributions.ReparameterizationType")
class ReparameterizationType:
    """Whether gradients reach the parameters of a distribution through its samples; equal to itself alone.

    Args:
      rep_type: the name.
    """

    def __init__(self, rep_type: str) -> None:
        self._name = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._name}>"


FULLY_REPARAMETERIZED: ReparameterizationType = export("compat.v1.distributions.FULLY_REPARAMETERIZED")(
    ReparameterizationType("FULLY_REPARAMETERIZED")
)
NOT_REPARAMETERIZED: ReparameterizationType = export("compat.v1.distributions.NOT_REPARAMETERIZED")(
    ReparameterizationType("NOT_REPARAMETERIZED")
)


def _undefined(method: str) -> Any:
    """A method with an underscore that a subclass may define."""

    def undefined(self: Distribution, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{method} is not implemented: {type(self).__name__}")

    return undefined


def _defined(direct: Callable[[], Any], derived: Callable[[], Any]) -> Any:
    """The result of the first method that the class defines."""
    try:
        return direct()
    except NotImplementedError as undefined:
        try:
            return derived()
        except NotImplementedError:
            raise undefined from None


@export("compat.v1.distributions.Distribution")
class Distribution:
    """The base class of distributions; a subclass defines the methods with an underscore that it can.

    Args:
      dtype: the type of samples.
      reparameterization_type: `FULLY_REPARAMETERIZED` or `NOT_REPARAMETERIZED`.
      validate_args: whether parameters and values are checked when they are used.
      allow_nan_stats: whether a statistic that is not defined is NaN; else asking for it fails.
      parameters: the arguments of the subclass's constructor by name, for `copy`.
      graph_parents: the tensors that it depends on.
      name: the scope of the nodes; the name of the class if None.

    Raises:
      ValueError: if one of `graph_parents` is no tensor.
    """

    def __init__(
        self,
        dtype: Any,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: Mapping[str, Any] | None = None,
        graph_parents: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        for i, parent in enumerate(graph_parents or ()):
            if not isinstance(parent, Tensor):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        if not name or not name.endswith("/"):
            with name_scope(name or type(self).__name__) as scope:
                name = scope
        self._dtype, self._reparameterization_type = dtype, reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters, self._graph_parents = dict(parameters or {}), list(graph_parents or ())
        self._name = name

    # ------------------------------------------------------------ what subclasses define

    _batch_shape_tensor: Any = _undefined("batch_shape_tensor")
    _event_shape_tensor: Any = _undefined("event_shape_tensor")
    _sample_n: Any = _undefined("sample_n")
    _log_prob: Any = _undefined("log_prob")
    _prob: Any = _undefined("prob")
    _log_cdf: Any = _undefined("log_cdf")
    _cdf: Any = _undefined("cdf")
    _log_survival_function: Any = _undefined("log_survival_function")
    _survival_function: Any = _undefined("survival_function")
    _quantile: Any = _undefined("quantile")
    _entropy: Any = _undefined("entropy")
    _mean: Any = _undefined("mean")
    _variance: Any = _undefined("variance")
    _stddev: Any = _undefined("stddev")
    _covariance: Any = _undefined("covariance")
    _mode: Any = _undefined("mode")

    def _batch_shape(self) -> Any:
        return TensorShape(None)

    def _event_shape(self) -> Any:
        return TensorShape(None)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        raise NotImplementedError("_param_shapes not implemented")

    def _cross_entropy(self, other: Any) -> Any:
        return divergence.cross_entropy(self, other, self.allow_nan_stats)

    def _kl_divergence(self, other: Any) -> Any:
        return divergence.kl_divergence(self, other, self.allow_nan_stats)

    # ------------------------------------------------------------ what it is

    @property
    def name(self) -> str:
        """The scope of the nodes, which ends in a slash."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The type of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor by name."""
        return {k: v for k, v in self._parameters.items() if k != "self" and not k.startswith("__")}

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether gradients reach the parameters through samples."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether statistics that are not defined are NaN."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether parameters and values are checked."""
        return self._validate_args

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape of a batch of distributions; () for one."""
        return shapes.as_shape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The static shape of one outcome."""
        return shapes.as_shape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape of a batch, an int32 vector.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return _sizes(self.batch_shape, self._batch_shape_tensor)

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """The shape of one outcome, an int32 vector.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return _sizes(self.event_shape, self._event_shape_tensor)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        """Whether the batch has no axes, a bool tensor.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return _has_no_axes(self.batch_shape, self.batch_shape_tensor)

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        """Whether outcomes have no axes, a bool tensor.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return _has_no_axes(self.event_shape, self.event_shape_tensor)

    @classmethod
    def param_shapes(cls, sample_shape: Any, name: str = "DistributionParamShapes") -> dict[str, Any]:
        """The shapes that parameters need for samples of a shape.

        Args:
          sample_shape: the shape of `sample()`, a vector.
          name: the scope of the nodes.

        Returns:
          Names of parameters -> int32 vectors.

        Raises:
          NotImplementedError: if the class cannot tell.
        """
        with name_scope(name):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict[str, TensorShape]:
        """The static shapes that parameters need for samples of a static shape.

        Args:
          sample_shape: a `TensorShape`, or a list of sizes.

        Returns:
          Names of parameters -> `TensorShape`s.

        Raises:
          ValueError: if a size is not known.
        """
        if isinstance(sample_shape, TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError("TensorShape sample_shape must be fully defined")
            sample_shape = sample_shape.as_list()
        shapes = cls.param_shapes(sample_shape)
        static: dict[str, Any] = {name: get_static_value(sizes) for name, sizes in shapes.items()}
        if any(sizes is None for sizes in static.values()):
            raise ValueError("sample_shape must be a fully-defined TensorShape or list/tuple")
        return {name: TensorShape(sizes.tolist()) for name, sizes in static.items()}

    def copy(self, **override_parameters_kwargs: Any) -> Self:
        """A distribution of this class with the same arguments.

        Args:
          **override_parameters_kwargs: arguments that are others.
        """
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    # ------------------------------------------------------------ samples, probabilities, statistics

    def sample(self, sample_shape: Any = (), seed: int | None = None, name: str = "sample") -> Tensor:
        """Outcomes drawn from each distribution of the batch.

        Args:
          sample_shape: the shape of the draws, a number or a vector.
          seed: the op's seed.
          name: the scope of the nodes.

        Returns:
          A tensor of shape `sample_shape + batch_shape + event_shape`.

        Raises:
          ValueError: if `sample_shape` has more than one axis.
        """
        with self._name_scope(name):
            sizes = convert_to_tensor(sample_shape, dtypes.int32, name="sample_shape")
            if sizes.shape.rank is not None and sizes.shape.rank > 1:
                raise ValueError("Input is neither scalar nor vector.")
            static = get_static_value(sizes)
            count = reductions.reduce_prod(sizes) if static is None else np.prod(static, dtype=np.int32)
            sizes = sizes if sizes.shape.rank == 1 else array.reshape(sizes, [-1])
            drawn = self._sample_n(count, seed)
            whole = array.reshape(drawn, concat([sizes, array.shape(drawn)[1:]], 0))
            sample_dims = TensorShape(None if static is None else np.reshape(static, -1).tolist())
            if (static_shape := _joined(whole.shape, [sample_dims, self.batch_shape, self.event_shape])) is not None:
                whole.set_shape(static_shape)
            return whole

    def log_prob(self, value: Any, name: str = "log_prob") -> Tensor:
        """The logarithm of `prob`.

        Args:
          value: outcomes; its shape broadcasts with `batch_shape + event_shape`.
          name: the scope of the nodes.
        """
        return self._at(value, name, self._log_prob, lambda v: powers.log(self._prob(v)))

    def prob(self, value: Any, name: str = "prob") -> Tensor:
        """The probability of outcomes, or their density.

        Args:
          value: outcomes; its shape broadcasts with `batch_shape + event_shape`.
          name: the scope of the nodes.
        """
        return self._at(value, name, self._prob, lambda v: powers.exp(self._log_prob(v)))

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Tensor:
        """The logarithm of `cdf`.

        Args:
          value: numbers; its shape broadcasts with `batch_shape`.
          name: the scope of the nodes.
        """
        return self._at(value, name, self._log_cdf, lambda v: powers.log(self._cdf(v)))

    def cdf(self, value: Any, name: str = "cdf") -> Tensor:
        """The probability of an outcome that is at most `value`.

        Args:
          value: numbers; its shape broadcasts with `batch_shape`.
          name: the scope of the nodes.
        """
        return self._at(value, name, self._cdf, lambda v: powers.exp(self._log_cdf(v)))

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Tensor:
        """The logarithm of `survival_function`.

        Args:
          value: numbers; its shape broadcasts with `batch_shape`.
          name: the scope of the nodes.
        """
        return self._at(value, name, self._log_survival_function, lambda v: powers.log1p(-self.cdf(v)))

    def survival_function(self, value: Any, name: str = "survival_function") -> Tensor:
        """The probability of an outcome that exceeds `value`: `1 - cdf(value)`.

        Args:
          value: numbers; its shape broadcasts with `batch_shape`.
          name: the scope of the nodes.
        """
        return self._at(value, name, self._survival_function, lambda v: 1.0 - self.cdf(v))

    def quantile(self, value: Any, name: str = "quantile") -> Tensor:
        """The number that outcomes do not exceed with the probability `value`: the inverse of `cdf`.

        Args:
          value: probabilities; its shape broadcasts with `batch_shape`.
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return self._quantile(_outcomes(value, self.dtype))

    def entropy(self, name: str = "entropy") -> Tensor:
        """Shannon's entropy in nats, the mean of `-log_prob` over samples, of each distribution of the batch.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return self._entropy()

    def mean(self, name: str = "mean") -> Tensor:
        """The mean, a tensor of shape `batch_shape + event_shape`.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return self._mean()

    def variance(self, name: str = "variance") -> Tensor:
        """The variance of each component, a tensor of shape `batch_shape + event_shape`.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return _defined(self._variance, lambda: powers.square(self._stddev()))

    def stddev(self, name: str = "stddev") -> Tensor:
        """The standard deviation, the root of `variance`.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return _defined(self._stddev, lambda: powers.sqrt(self._variance()))

    def covariance(self, name: str = "covariance") -> Tensor:
        """The covariances of the components of outcomes that are vectors: `batch_shape + [k, k]`.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return self._covariance()

    def mode(self, name: str = "mode") -> Tensor:
        """The most probable outcome.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return self._mode()

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Tensor:
        """The mean of `-other.log_prob` over samples of this distribution.

        Args:
          other: the other distribution; `kl_divergence` of the two should be known.
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return self._cross_entropy(other)

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Tensor:
        """The Kullback-Leibler divergence of this distribution from another one: see `kl_divergence`.

        Args:
          other: the other distribution.
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return self._kl_divergence(other)

    def __str__(self) -> str:
        sizes = (("batch_shape", self.batch_shape), ("event_shape", self.event_shape))
        shown = "".join(f", {label}={shape}" for label, shape in sizes if shape.rank is not None)
        return f'tfp.distributions.{type(self).__name__}("{self.name}"{shown}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} "
            f"event_shape={self.event_shape} dtype={self.dtype.name}>"
        )

    @contextmanager
    def _name_scope(self, name: str | None = None) -> Iterator[str]:
        with name_scope(self.name), name_scope(name) as scope:
            yield scope

    def _at(self, value: Any, name: str, direct: Callable[[Any], Any], derived: Callable[[Any], Any]) -> Any:
        """A function of the distribution at a value, by the direct method of the class or by the derived one."""
        with self._name_scope(name):
            tensor = _outcomes(value, self.dtype)
            return _defined(lambda: direct(tensor), lambda: derived(tensor))


def _outcomes(value: Any, dtype: DType | None) -> Any:
    """A tensor of a value, of the samples' type where it has none of its own; fractions are never cut to integers."""
    if dtype is None or dtype.is_floating:
        return convert_to_tensor(value, dtype_hint=dtype, name="value")
    tensor = convert_to_tensor(value, name="value")
    return tensor if tensor.dtype.is_floating else convert_to_tensor(value, dtype_hint=dtype, name="value")


def _sizes(static: TensorShape, compute: Callable[[], Any]) -> Any:
    return array.constant(static.as_list(), dtypes.int32) if static.is_fully_defined() else compute()


def _has_no_axes(static: TensorShape, compute: Callable[[], Any]) -> Any:
    if static.rank is not None:
        return convert_to_tensor(static.rank == 0)
    return math.equal(array.size(compute()), 0)


def _joined(whole: TensorShape, parts: Sequence[TensorShape]) -> TensorShape | None:
    """The static shape whose axes are those of its parts; None if nothing more is known of it.

    Of several parts of unknown rank only the ends say something: where the middle begins is not known.
    """
    unknown = [part for part in parts if part.rank is None]
    if not unknown:
        return whole.merge_with(parts[0] + parts[1] + parts[2])
    if whole.rank is None:
        return None
    if len(unknown) > 1:
        none = TensorShape([])
        parts = [none if parts[0].rank is None else parts[0], unknown[0], none if parts[2].rank is None else parts[2]]
    gap = TensorShape([None] * (whole.rank - sum(part.rank or 0 for part in parts)))
    first, second, third = (gap if part.rank is None else part for part in parts)
    return whole.merge_with(first + second + third)
