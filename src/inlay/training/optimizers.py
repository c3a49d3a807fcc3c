"""The optimizers: each is its hyperparameters, its slots and one update op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay.core.opdef import OPS
from inlay.eager.emit import emit
from inlay.export import export
from inlay.ops import array, control
from inlay.ops import training as training  # declares the update ops
from inlay.training.optimizer import Optimizer, as_type_of, hyperparameter
from inlay.types import dtypes
from inlay.variables.variable import Variable


class _Standard(Optimizer):
    """An optimizer whose hyperparameters become tensors before each update."""

    def __init__(self, use_locking: bool, name: str, **hyper: Any) -> None:
        super().__init__(use_locking, name)
        self._hyper = hyper
        self._tensors: dict[str, Any] = {}

    def _prepare(self) -> None:
        self._tensors = {name: hyperparameter(value, name) for name, value in self._hyper.items()}

    def _apply(self, op_name: str, variables: Sequence[Variable], values: Sequence[Any], **attrs: Any) -> Any:
        """Runs an update op on a variable, its slots, and values (names of hyperparameters, or tensors)."""
        var = variables[0]
        given = [as_type_of(self._tensors[v], var) if isinstance(v, str) else v for v in values]
        return emit(OPS[op_name], (*(v.handle for v in variables), *given), attrs)

    def __getattr__(self, name: str) -> Any:
        # Subclasses in programs read `_lr` and `_learning_rate`, as TensorFlow names them.
        if name in ("_lr", "_learning_rate") and "learning_rate" in self.__dict__.get("_hyper", {}):
            return self._hyper["learning_rate"]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


@export("train.GradientDescentOptimizer")
class GradientDescentOptimizer(_Standard):
    """`var -= learning_rate * grad`.

    Args:
      learning_rate: a number, tensor, or function without arguments.
      use_locking: ignored.
      name: names the operations.
    """

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name, learning_rate=learning_rate)

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        return self._apply("ResourceApplyGradientDescent", [var], ["learning_rate", grad])


@export("train.MomentumOptimizer")
class MomentumOptimizer(_Standard):
    """`accum = momentum * accum + grad; var -= learning_rate * accum`.

    Args:
      learning_rate, momentum: numbers, tensors, or functions without arguments.
      use_locking: ignored.
      name: names the operations and the slot.
      use_nesterov: whether to look ahead by one step.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name, learning_rate=learning_rate, momentum=momentum)
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        accum = self._zeros_slot(var, "momentum", self._name)
        values = ["learning_rate", grad, "momentum"]
        return self._apply("ResourceApplyMomentum", [var, accum], values, use_nesterov=self._use_nesterov)


@export("train.AdagradOptimizer")
class AdagradOptimizer(_Standard):
    """`accum += grad**2; var -= learning_rate * grad / sqrt(accum)`.

    Args:
      learning_rate: a number, tensor, or function without arguments.
      initial_accumulator_value: where `accum` starts; positive.
      use_locking: ignored.
      name: names the operations and the slot.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name, learning_rate=learning_rate)
        self._start = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._accumulator(var)

    def _accumulator(self, var: Variable) -> Variable:
        return self._slot(var, lambda: array.constant(self._start, var.dtype, var.shape), "accumulator", self._name)

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        return self._apply("ResourceApplyAdagrad", [var, self._accumulator(var)], ["learning_rate", grad])


@export("train.RMSPropOptimizer")
class RMSPropOptimizer(_Standard):
    """Gradients divided by the root of their mean square.

    Args:
      learning_rate, decay, momentum, epsilon: numbers, tensors, or functions without arguments.
      use_locking: ignored.
      centered: whether to use the variance instead of the mean square.
      name: names the operations and slots.
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(
            use_locking, name, learning_rate=learning_rate, decay=decay, momentum=momentum, epsilon=epsilon
        )
        self._centered = centered

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._slot(var, lambda var=var: array.ones(var.shape, var.dtype), "rms", self._name)  # type: ignore[misc]
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        values = ["learning_rate", "decay", "momentum", "epsilon", grad]
        rms, momentum = self.get_slot(var, "rms"), self.get_slot(var, "momentum")
        assert rms is not None and momentum is not None
        if not self._centered:
            return self._apply("ResourceApplyRMSProp", [var, rms, momentum], values)
        mean = self.get_slot(var, "mg")
        assert mean is not None
        return self._apply("ResourceApplyCenteredRMSProp", [var, mean, rms, momentum], values)


@export("train.AdamOptimizer")
class AdamOptimizer(_Standard):
    """Adam: steps along the mean gradient over the root of its mean square, both corrected for their start at zero.

    Args:
      learning_rate, beta1, beta2, epsilon: numbers, tensors, or functions without arguments.
      use_locking: ignored.
      name: names the operations and slots.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon)

    def _powers(self) -> tuple[Variable, Variable]:
        def start(name: str) -> Any:
            value = self._hyper[name]
            return value() if callable(value) else value

        return (
            self._own_variable(lambda: start("beta1"), "beta1_power", dtypes.float32),
            self._own_variable(lambda: start("beta2"), "beta2_power", dtypes.float32),
        )

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        self._powers()
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        assert m is not None and v is not None
        first, second = self._powers()
        powers = [as_type_of(p._read(), var) for p in (first, second)]
        values = [*powers, "learning_rate", "beta1", "beta2", "epsilon", grad]
        return self._apply("ResourceApplyAdam", [var, m, v], values)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        first, second = self._powers()
        with control.control_dependencies(list(update_ops)):
            one = first.assign(first._read() * as_type_of(self._tensors["beta1"], first), read_value=False)
            two = second.assign(second._read() * as_type_of(self._tensors["beta2"], second), read_value=False)
        return control.group(*update_ops, one, two, name=name_scope or None)
