"""The optimizers: each is its hyperparameters, its slots and one update op."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.core import context
from inlay._src.core.tensor import EagerTensor
from inlay._src.ops import array, control, training
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.updating import RULES
from inlay._src.ops.variables import at_once, initializers
from inlay._src.ops.variables.variable import Variable
from inlay._src.training.optimizer import Optimizer, as_type_of, as_whole, hyperparameter, slot_key, slot_shape

ZEROS, ONES = initializers.Zeros(), initializers.Ones()


def _begun(start: Callable[[Any, Any], Any], var: Variable) -> Any:
    """The initial value of a slot of a variable: one number everywhere if its shape is unknown so far."""
    shape = slot_shape(var)
    return start(shape, var.dtype) if isinstance(shape, list) else array.fill(shape, start([], var.dtype))


class Update(NamedTuple):
    """The update rule of an optimizer.

    Attributes:
      update: the function of the update's op.
      slots: the slots that it changes besides the variable.
      operands: the inputs besides the gradient: names of hyperparameters, and tensors.
      attrs: its attributes.
    """

    update: Any
    slots: Sequence[str]
    operands: Sequence[Any]
    attrs: Mapping[str, Any] = {}


class Standard(Optimizer):
    """An optimizer whose hyperparameters become tensors before each update.

    Hyperparameters are in attributes named as TensorFlow has them, since subclasses in programs read and write them:
    `_momentum`, and its tensor `_momentum_tensor`.

    Args:
      use_locking, name: as for `Optimizer`.
      slots: slot -> what it starts from, in the order in which slots are made.
      **hyper: the hyperparameters.
    """

    _suffix = "_tensor"
    _slot_names: Mapping[str, str] = {}
    """Slot -> its name in checkpoints, where that is not the optimizer's."""

    def __init__(
        self, use_locking: bool, name: str, slots: Mapping[str, initializers.Initializer], **hyper: Any
    ) -> None:
        super().__init__(use_locking, name)
        self._starts, self._hyper = slots, tuple(hyper)
        self.__dict__.update({f"_{name}": value for name, value in hyper.items()})

    def _prepare(self) -> None:
        for name in self._hyper:
            label = "learning_rate" if name == "lr" else name
            setattr(self, f"_{name}{self._suffix}", hyperparameter(getattr(self, f"_{name}"), label))

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            key = slot_key(var)
            for name, start in self._starts.items():
                if key in self._slots.get(name, ()):
                    continue
                value = functools.partial(_begun, start, var)
                self._get_or_make_slot(var, value, name, self._slot_names.get(name, self._name))

    def _how(self) -> Update:
        """Its update rule."""
        raise NotImplementedError

    def _step(self, grad: Any, var: Variable) -> Any:
        """Updates one variable by a gradient, dense or of rows named once."""
        how = self._how()
        states, operands = self._states([var], how), self._operands(var, how)
        update, place = how.update, RULES[how.update.opdef].gradient
        if isinstance(grad, IndexedSlices):
            operands.insert(place, grad.values)
            update, place = training.AT_ROWS[update]
            operands.insert(place, grad.indices)
        else:
            operands.insert(place, grad)
        if at_once.call(update.opdef, (*states, *operands), how.attrs):
            return None
        return update(*states, *operands, **how.attrs)

    def _states(self, variables: Sequence[Variable], how: Update) -> list[Any]:
        """The handles of variables, then of their first slots, and so on."""
        keys = [slot_key(var) for var in variables]
        slots = [self._slots[name] for name in how.slots]
        return [*[var._handle for var in variables], *[of[key][1]._handle for of in slots for key in keys]]

    def _operands(self, var: Variable, how: Update) -> list[Any]:
        """The inputs of an update besides the gradient."""
        values = (getattr(self, f"_{v}{self._suffix}") if isinstance(v, str) else v for v in how.operands)
        return [
            as_type_of(v, var) if isinstance(name, str) else v for name, v in zip(how.operands, values, strict=True)
        ]

    def _is_plain(self, grad: Any, variable: Variable) -> bool:
        """Whether an eager update is by a dense gradient and nothing else."""
        return grad.__class__ is EagerTensor and grad._dtype is variable._dtype and variable.constraint is None

    @property
    def _is_ours(self) -> bool:
        """Whether no subclass says what one update is, and updates run here and now."""
        kind = type(self)
        ours = kind._apply_dense is Standard._apply_dense
        return (
            ours
            and kind._resource_apply_dense is Standard._resource_apply_dense
            and kind._update is Standard._update
            and context.executing_eagerly()
        )

    def _update_all(self, pairs: Sequence[tuple[Any, Variable]]) -> list[Any]:
        if not self._is_ours:
            return super()._update_all(pairs)
        alike: dict[Any, list[tuple[Any, Variable]]] = {}
        for pair in pairs:
            alike.setdefault(pair[1]._dtype if self._is_plain(*pair) else None, []).append(pair)
        others = alike.pop(None, [])
        how = self._how()
        for some in alike.values():
            gradients, variables = zip(*some, strict=True)
            states, operands = self._states(variables, how), self._operands(variables[0], how)
            left = at_once.call_jointly(how.update.opdef, states, gradients, operands, how.attrs)
            others += [some[k] for k in left]
        return super()._update_all(others)

    def _update(self, grad: Any, variable: Variable) -> Any:
        if self._is_plain(grad, variable) and self._is_ours:
            return self._step(grad, variable)  # as below, but for the names of nodes
        return super()._update(grad, variable)

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        return self._step(grad, var)

    def _resource_apply_dense(self, grad: Any, handle: Variable) -> Any:
        return self._step(grad, handle)

    def _resource_apply_sparse(self, grad: Any, handle: Variable, indices: Any) -> Any:
        return self._step(IndexedSlices(grad, indices), handle)


@export("train.GradientDescentOptimizer")
class GradientDescentOptimizer(Standard):
    """`var -= learning_rate * grad`.

    Args:
      learning_rate: a number, tensor, or function without arguments.
      use_locking: ignored.
      name: names the operations.
    """

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name, {}, learning_rate=learning_rate)

    def _how(self) -> Update:
        return Update(training.apply_gradient_descent, [], ["learning_rate"])


@export("train.MomentumOptimizer")
class MomentumOptimizer(Standard):
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
        super().__init__(use_locking, name, {"momentum": ZEROS}, learning_rate=learning_rate, momentum=momentum)
        self._use_nesterov = use_nesterov

    def _how(self) -> Update:
        attrs = {"use_nesterov": self._use_nesterov}
        return Update(training.apply_momentum, ["momentum"], ["learning_rate", "momentum"], attrs)


@export("train.AdagradOptimizer")
class AdagradOptimizer(Standard):
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
        start = initializers.Constant(initial_accumulator_value)
        super().__init__(use_locking, name, {"accumulator": start}, learning_rate=learning_rate)

    def _how(self) -> Update:
        return Update(training.apply_adagrad, ["accumulator"], ["learning_rate"])


@export("train.RMSPropOptimizer")
class RMSPropOptimizer(Standard):
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
        slots = {"rms": ONES, **({"mg": ZEROS} if centered else {}), "momentum": ZEROS}
        super().__init__(
            use_locking, name, slots, learning_rate=learning_rate, decay=decay, momentum=momentum, epsilon=epsilon
        )
        self._centered = centered

    def _how(self) -> Update:
        hyperparameters = ["learning_rate", "decay", "momentum", "epsilon"]
        if self._centered:
            return Update(training.apply_centered_rms_prop, ["mg", "rms", "momentum"], hyperparameters)
        return Update(training.apply_rms_prop, ["rms", "momentum"], hyperparameters)


@export("train.AdamOptimizer")
class AdamOptimizer(Standard):
    """Adam: steps along the mean gradient over the root of its mean square, both corrected for their start at zero.

    Args:
      learning_rate, beta1, beta2, epsilon: numbers, tensors, or functions without arguments.
      use_locking: ignored.
      name: names the operations and slots.
    """

    _suffix = "_t"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        slots = {"m": ZEROS, "v": ZEROS}
        super().__init__(use_locking, name, slots, lr=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for name in ("beta1", "beta2"):
            value = getattr(self, f"_{name}")
            self._create_non_slot_variable(value() if callable(value) else value, f"{name}_power")
        super()._create_slots(var_list)

    def _get_beta_accumulators(self) -> list[Any]:
        """The variables that hold the powers of `beta1` and `beta2`."""
        return [self._get_non_slot_variable(f"{name}_power") for name in ("beta1", "beta2")]

    def _prepare(self) -> None:
        super()._prepare()
        self._beta1_power_t, self._beta2_power_t = [power._read() for power in self._get_beta_accumulators()]

    def _how(self) -> Update:
        hyperparameters = ["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"]
        return Update(training.apply_adam, ["m", "v"], hyperparameters)

    def _resource_apply_sparse(self, grad: Any, handle: Variable, indices: Any) -> Any:
        return self._step(as_whole(grad, handle, indices), handle)  # the moments of all rows decay

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        betas = [getattr(self, f"_{name}{self._suffix}") for name in ("beta1", "beta2")]
        with control.control_dependencies(list(update_ops)):
            grown = [
                power.assign(power._read() * as_type_of(beta, power), read_value=False)
                for power, beta in zip(self._get_beta_accumulators(), betas, strict=True)
            ]
        return control.group(*update_ops, *grown, name=name_scope or None)


@export("contrib.opt.AdaMaxOptimizer")
@constructor(name="AdaMax")
class AdaMaxOptimizer(AdamOptimizer):
    """Adam by the infinity norm: steps along the mean gradient over the greatest decayed absolute value."""

    def _how(self) -> Update:
        return Update(training.apply_ada_max, ["m", "v"], ["beta1_power", "lr", "beta1", "beta2", "epsilon"])
