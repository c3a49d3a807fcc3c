"""Loss scales of 1.x: the factor that keeps small gradients above what a narrow float can say, and its optimizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.engine.plan.optimizer_options import set_experimental_options
from inlay._src.ops import control, math, reductions
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.control.branches import cond_v1
from inlay._src.training.optimizer import Optimizer, pairs_of


@export(
    "compat.v1.mixed_precision.LossScale",
    "compat.v1.mixed_precision.experimental.LossScale",
    "compat.v1.train.experimental.LossScale",
)
class LossScale:
    """Base class of loss scales. A subclass defines `__call__`, `update` and `get_config`."""

    def __init__(self) -> None:
        self._weights: dict[tuple[str, int], Variable] = {}

    def __call__(self) -> Tensor:
        """The factor now: a float32 scalar."""
        raise NotImplementedError(f"{type(self).__name__} defines no __call__()")

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Changes the factor after a step.

        Args:
          grads: a nest of the gradients of the step, not scaled any more; None among them is left out.

        Returns:
          The operation that changes it (None while executing eagerly), and whether the gradients should be applied: a
          bool or a scalar bool tensor.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no update(grads)")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal loss scale."""
        raise NotImplementedError(f"{type(self).__name__} defines no get_config()")

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """The loss scale of arguments that `get_config` returned."""
        return cls(**config)

    def _add_weight(self, name: str, initial_value: Any, dtype: Any = None) -> Variable:
        """A variable of this loss scale in the graph in force, saved with it under `name`.

        Raises:
          RuntimeError: if there is one of that name.
        """
        key = (name, id(context.home()))
        if key in self._weights:
            raise RuntimeError(f"Duplicate variables detected: {name}")
        weight = Variable(initial_value, trainable=False, dtype=dtype, name=name)
        self._weights[key] = weight
        waiting = self.__dict__.get("_waiting_restore")
        if waiting is not None:
            waiting(name, weight)
        return weight

    def _checkpoint_children(self) -> dict[str, Any]:
        home = id(context.home())
        return {name: weight for (name, graph), weight in self._weights.items() if graph == home}


@export(
    "compat.v1.mixed_precision.FixedLossScale",
    "compat.v1.mixed_precision.experimental.FixedLossScale",
    "compat.v1.train.experimental.FixedLossScale",
)
class FixedLossScale(LossScale):
    """A factor that never changes.

    Args:
      loss_scale_value: the factor, at least 1.

    Raises:
      ValueError: if it is no number, or below 1.
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Tensor:
        return convert_to_tensor(self._loss_scale_value, dtype=dtypes.float32)

    def update(self, grads: Any) -> tuple[Any, bool]:
        """Nothing changes, and gradients are always applied."""
        return control.no_op(), True

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal loss scale."""
        return {"loss_scale_value": self._loss_scale_value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"


@export(
    "compat.v1.mixed_precision.DynamicLossScale",
    "compat.v1.mixed_precision.experimental.DynamicLossScale",
    "compat.v1.train.experimental.DynamicLossScale",
)
class DynamicLossScale(LossScale):
    """A factor that grows after steps with finite gradients in a row, and shrinks after a step with others.

    Args:
      initial_loss_scale: the first factor.
      increment_period: after how many finite steps in a row it is multiplied.
      multiplier: by how much; after a step that is not finite it is divided by it, to 1 at least.
    """

    def __init__(
        self, initial_loss_scale: float = 2**15, increment_period: int = 2000, multiplier: float = 2.0
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period, self._multiplier = int(increment_period), float(multiplier)
        self._current_loss_scale = self._add_weight("current_loss_scale", self._initial_loss_scale, dtypes.float32)
        self._num_good_steps = self._add_weight("good_steps", 0, dtypes.int64)

    @property
    def initial_loss_scale(self) -> float:
        """The first factor."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """After how many finite steps in a row the factor grows."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """The factor of its growth."""
        return self._multiplier

    def __call__(self) -> Tensor:
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Grows or shrinks the factor.

        Args:
          grads: a nest of gradients, or one; None is left out.

        Returns:
          The operation that does it, and whether all gradients are finite.
        """
        finite = _all_finite(nest.flatten(grads))
        return cond_v1(finite, self._after_finite, self._after_other), finite

    def _after_finite(self) -> Any:
        def grow() -> Any:
            larger = self._current_loss_scale * self._multiplier
            capped = cond_v1(
                math.is_finite(larger), lambda: larger, lambda: convert_to_tensor(self._current_loss_scale)
            )
            return self._set(capped)

        count = self._num_good_steps + 1
        grown = cond_v1(math.greater_equal(count, self._increment_period), grow, lambda: self._counted())
        return control.group(grown)

    def _after_other(self) -> Any:
        return control.group(self._set(math.maximum(self._current_loss_scale / self._multiplier, 1.0)))

    def _counted(self) -> Any:
        return control.group(self._num_good_steps.assign_add(1, read_value=False))

    def _set(self, factor: Any) -> Any:
        return control.group(
            self._num_good_steps.assign(0, read_value=False), self._current_loss_scale.assign(factor, read_value=False)
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal loss scale."""
        return {
            "initial_loss_scale": self.initial_loss_scale,
            "increment_period": self.increment_period,
            "multiplier": self.multiplier,
        }

    def __repr__(self) -> str:
        state = ""
        if context.executing_eagerly():
            factor, steps = str(self._current_loss_scale.numpy()), str(self._num_good_steps.numpy())
            state = f"current_loss_scale={factor}, num_good_steps={steps}, "
        arguments = ", ".join(f"{name}={value}" for name, value in self.get_config().items())
        return f"DynamicLossScale({state}{arguments})"


@export(
    "compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer",
    "compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer",
)
class MixedPrecisionLossScaleOptimizer(Optimizer):
    """An optimizer whose loss is multiplied by a loss scale, and its gradients divided by it.

    With a `DynamicLossScale` a step whose gradients are not all finite changes no variable.

    Args:
      opt: the optimizer that computes and applies gradients.
      loss_scale: a `LossScale`, a number, or "dynamic".

    Raises:
      ValueError: if `opt` is no `tf.compat.v1.train.Optimizer`, or the loss scale is None or of no such kind.
    """

    def __init__(self, opt: Optimizer, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(opt._use_locking, opt._name)
        self._optimizer = opt
        self._loss_scale = as_loss_scale(loss_scale)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of the loss, computed from the scaled one.

        Args:
          loss: a tensor; while executing eagerly a function without arguments that returns one.
          var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss: as for the inner one.

        Returns:
          (gradient or None, variable) pairs.
        """
        scaled: Any = (lambda: self._scaled(loss())) if callable(loss) else self._scaled(loss)
        pairs = self._optimizer.compute_gradients(
            scaled, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )
        factor = self._loss_scale()
        return [(None if g is None else _divided(g, factor), variable) for g, variable in pairs]

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Variable | None = None, name: str | None = None
    ) -> Operation | None:
        """Updates the loss scale; and the variables, unless the loss scale says that the step is lost.

        Args:
          grads_and_vars: (gradient or None, variable) pairs.
          global_step: a variable to add 1 to after an update of the variables.
          name: the operation's name.

        Returns:
          The operation that does it; None while executing eagerly.
        """
        pairs = pairs_of(grads_and_vars)
        update, wanted = self._loss_scale.update([g for g, _ in pairs])

        def apply() -> Any:
            return control.group(self._optimizer.apply_gradients(pairs, global_step, name))

        done = cond_v1(wanted, apply, control.no_op) if not isinstance(wanted, bool) else apply() if wanted else None
        return control.group(*(item for item in (done, update) if item is not None))

    def _scaled(self, loss: Any) -> Any:
        factor = self._loss_scale()
        return convert_to_tensor(loss) * math.cast(factor, convert_to_tensor(loss).dtype)

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """The slot of a variable in the inner optimizer, or None."""
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """The names of the inner optimizer's slots."""
        return self._optimizer.get_slot_names()

    def variables(self) -> list[Variable]:
        """The inner optimizer's variables, and those of the loss scale."""
        return [*self._optimizer.variables(), *self._loss_scale._checkpoint_children().values()]

    def _checkpoint_children(self) -> dict[str, Any]:
        return {"_optimizer": self._optimizer, "_loss_scale": self._loss_scale}


def as_loss_scale(scale: Any) -> LossScale:
    """A `LossScale`, a number or "dynamic" as a `LossScale`.

    Raises:
      ValueError: if it is none of them.
    """
    if scale is None:
        raise ValueError("loss_scale cannot be None")
    if isinstance(scale, LossScale):
        return scale
    if isinstance(scale, (int, float)) and not isinstance(scale, bool):
        return FixedLossScale(scale)
    if scale == "dynamic":
        return DynamicLossScale()
    raise ValueError(f"Could not interpret loss scale identifier: {scale}")


@export(
    "compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite",
    "compat.v1.train.experimental.enable_mixed_precision_graph_rewrite",
)
def enable_mixed_precision_graph_rewrite(opt: Optimizer, loss_scale: Any = "dynamic") -> Optimizer:
    """The optimizer with a loss scale. Nothing is computed in float16, as in TensorFlow without a GPU.

    Args:
      opt: a `tf.compat.v1.train.Optimizer`.
      loss_scale: a `LossScale`, a number, or "dynamic".

    Raises:
      ValueError: if `opt` is no optimizer, or has a loss scale.
    """
    if isinstance(opt, MixedPrecisionLossScaleOptimizer):
        raise ValueError('"opt" must not already be an instance of a MixedPrecisionLossScaleOptimizer.')
    if not isinstance(opt, Optimizer):
        raise ValueError(
            '"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, but got: '
            f"{opt!r}. Optimizers of Keras 3 scale losses with keras.optimizers.LossScaleOptimizer."
        )
    wrapped = MixedPrecisionLossScaleOptimizer(opt, loss_scale)
    set_experimental_options({"auto_mixed_precision": True})
    return wrapped


@export(
    "compat.v1.mixed_precision.disable_mixed_precision_graph_rewrite",
    "compat.v1.train.experimental.disable_mixed_precision_graph_rewrite",
)
def disable_mixed_precision_graph_rewrite() -> None:
    """Takes back what `enable_mixed_precision_graph_rewrite` said about the graph."""
    set_experimental_options({"auto_mixed_precision": False})


def _all_finite(grads: Iterable[Any]) -> Any:
    """Whether every element of every gradient is finite: a scalar bool."""
    parts = [g.values if isinstance(g, IndexedSlices) else convert_to_tensor(g) for g in grads if g is not None]
    each: list[Any] = [reductions.reduce_all(math.is_finite(part)) for part in parts]
    return reductions.reduce_all(each) if each else convert_to_tensor(True)


def _divided(grad: Any, factor: Any) -> Any:
    def divided(part: Any) -> Any:
        return part * math.cast(1.0 / factor, part.dtype)

    if isinstance(grad, IndexedSlices):
        return IndexedSlices(divided(grad.values), grad.indices, grad.dense_shape)
    return divided(grad)
