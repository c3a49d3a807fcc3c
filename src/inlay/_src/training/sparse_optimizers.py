"""Optimizers with rates for each number and with steps towards 0: AdaDelta, FTRL, dual averaging, proximal ones."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.ops import array, math, training
from inlay._src.ops.variables.initializers import Constant
from inlay._src.training.optimizer import hyperparameter
from inlay._src.training.optimizers import ZEROS, Standard, Update


@export("train.AdadeltaOptimizer")
class AdadeltaOptimizer(Standard):
    """Steps in the ratio of the root mean squares of earlier steps and of gradients (https://arxiv.org/abs/1212.5701).

    Args:
      learning_rate, rho, epsilon: numbers, tensors, or functions without arguments.
      use_locking: ignored.
      name: names the operations and slots.
    """

    _suffix = "_t"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        slots = {"accum": ZEROS, "accum_update": ZEROS}
        super().__init__(use_locking, name, slots, lr=learning_rate, rho=rho, epsilon=epsilon)

    def _how(self) -> Update:
        return Update(training.apply_adadelta, ["accum", "accum_update"], ["lr", "rho", "epsilon"])


@export("train.ProximalGradientDescentOptimizer")
class ProximalGradientDescentOptimizer(Standard):
    """A step against the gradient, then one towards 0 (Duchi and Singer, 2009).

    Args:
      learning_rate: a number, tensor, or function without arguments.
      l1_regularization_strength, l2_regularization_strength: the weights of the L1 and L2 penalties.
      use_locking: ignored.
      name: names the operations.
    """

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(
            use_locking, name, {}, learning_rate=learning_rate,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
        )  # fmt: skip

    def _how(self) -> Update:
        hyperparameters = ["learning_rate", "l1_regularization_strength", "l2_regularization_strength"]
        return Update(training.apply_proximal_gradient_descent, [], hyperparameters)


@export("train.ProximalAdagradOptimizer")
class ProximalAdagradOptimizer(Standard):
    """`AdagradOptimizer`, then a step towards 0 (Duchi et al., 2011).

    Args:
      learning_rate: a number, tensor, or function without arguments.
      initial_accumulator_value: where squares start; positive.
      l1_regularization_strength, l2_regularization_strength: the weights of the L1 and L2 penalties.
      use_locking: ignored.
      name: names the operations and the slot.

    Raises:
      ValueError: for a start that is not positive.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(
            use_locking, name, {"accumulator": Constant(initial_accumulator_value)}, learning_rate=learning_rate,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
        )  # fmt: skip

    def _how(self) -> Update:
        hyperparameters = ["learning_rate", "l1_regularization_strength", "l2_regularization_strength"]
        return Update(training.apply_proximal_adagrad, ["accumulator"], hyperparameters)


@export("train.AdagradDAOptimizer")
class AdagradDAOptimizer(Standard):
    """Dual averaging with a rate for each number (Duchi et al., 2011): many weights end at 0.

    Args:
      learning_rate: a number, tensor, or function without arguments.
      global_step: the variable that counts the steps.
      initial_gradient_squared_accumulator_value: where squares start; positive.
      l1_regularization_strength, l2_regularization_strength: the weights of the L1 and L2 penalties.
      use_locking: ignored.
      name: names the operations and slots.

    Raises:
      ValueError: for a start that is not positive.
    """

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        start = initial_gradient_squared_accumulator_value
        if start <= 0.0:
            raise ValueError(f"initial_gradient_squared_accumulator_value must be positive: {start}")
        slots = {"gradient_accumulator": ZEROS, "gradient_squared_accumulator": Constant(start)}
        super().__init__(
            use_locking, name, slots, learning_rate=learning_rate,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
        )  # fmt: skip
        self._global_step = global_step
        self._step_now: Any = None

    def _prepare(self) -> None:
        super()._prepare()
        self._step_now = math.cast(array.identity(self._global_step), dtypes.int64) + 1

    def _how(self) -> Update:
        hyperparameters = ["learning_rate", "l1_regularization_strength", "l2_regularization_strength", self._step_now]
        return Update(
            training.apply_adagrad_da, ["gradient_accumulator", "gradient_squared_accumulator"], hyperparameters
        )


@export("train.FtrlOptimizer")
class FtrlOptimizer(Standard):
    """Follow the regularized leader (McMahan et al., "Ad click prediction", 2013).

    Args:
      learning_rate: a number, tensor, or function without arguments.
      learning_rate_power: by which power of the sum of squares the rate falls; not positive.
      initial_accumulator_value: where squares start; not negative.
      l1_regularization_strength, l2_regularization_strength: the weights of the L1 and L2 penalties; not negative.
      use_locking: ignored.
      name: names the operations and slots.
      accum_name, linear_name: names of the two slots in checkpoints; None takes `name` and `name_1`.
      l2_shrinkage_regularization_strength: the weight of the L2 penalty on rows that a gradient reaches; not negative.
      beta: the start of the rate's denominator; None takes 0.

    Raises:
      ValueError: for a number out of range.
    """

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        not_negative = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for what, value in not_negative.items():
            if value < 0.0:
                raise ValueError(f"{what} {value} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be negative or zero")
        slots = {"accum": Constant(initial_accumulator_value), "linear": ZEROS}
        super().__init__(
            use_locking, name, slots, learning_rate=learning_rate, learning_rate_power=learning_rate_power,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
        )  # fmt: skip
        self._slot_names = {"accum": accum_name or name, "linear": linear_name or name}
        self._beta = beta or 0.0

    _learning_rate_tensor: Any
    _l2_regularization_strength: Any

    def _prepare(self) -> None:
        super()._prepare()
        strength = hyperparameter(self._l2_regularization_strength, "l2_regularization_strength")
        self._l2_regularization_strength_tensor = strength + self._beta / (2.0 * self._learning_rate_tensor)

    def _how(self) -> Update:
        hyperparameters = [
            "learning_rate", "l1_regularization_strength", "l2_regularization_strength",
            "l2_shrinkage_regularization_strength", "learning_rate_power",
        ]  # fmt: skip
        return Update(training.apply_ftrl, ["accum", "linear"], hyperparameters)
