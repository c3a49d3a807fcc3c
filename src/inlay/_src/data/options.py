"""`tf.data.Options`: the execution of a dataset."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from inlay._src.base.export import export


@export("data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """The treatment of functions with state when the position of an iterator is saved.

    Variables and the private state of host functions are not part of a position: a restored iterator reads their
    current values. `WARN` logs a warning and saves. `IGNORE`, the default, saves. `FAIL` raises
    FailedPreconditionError. Random draws with a seed follow the index of an element and are restored with it; `WARN`
    and `FAIL` report them all the same.
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


@export("data.experimental.AutoShardPolicy")
class AutoShardPolicy(enum.IntEnum):
    """The division of a dataset by a strategy of several workers; accepted, as a strategy has one worker here."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class _OptionFields:
    """A record whose fields are known and start as None; a misspelt one is refused, and a value of another class."""

    __slots__ = ("__dict__", "_fixed")
    _known: ClassVar[Mapping[str, type]] = {}
    """Field -> the class of its values."""
    _fixed: bool
    _older: ClassVar[Mapping[str, str]] = {}
    """Older name of a field -> its name."""
    _defaults: ClassVar[Mapping[str, Any]] = {}
    """Field -> what it is read as until it is set, if that is not None."""

    def __init__(self) -> None:
        object.__setattr__(self, "_fixed", False)
        for name in self._known:
            if name not in self._defaults:
                object.__setattr__(self, name, None)

    def fixed(self) -> Self:
        """The same, which cannot be changed."""
        copy = type(self)()
        for name, value in vars(self).items():
            object.__setattr__(copy, name, value.fixed() if isinstance(value, _OptionFields) else value)
        object.__setattr__(copy, "_fixed", True)
        return copy

    def __getattr__(self, name: str) -> Any:
        if name in self._older:
            return getattr(self, self._older[name])
        if name in self._defaults:
            return self._defaults[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._fixed:
            raise ValueError(
                "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no effect. Use "
                "`tf.data.Dataset.with_options(options)` to set or update dataset options."
            )
        name = self._older.get(name, name)
        if name not in self._known:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        if not isinstance(value, self._known[name]):
            raise TypeError(
                f'Property "{name}" must be of type {self._known[name]}, got: {value!r} (type: {type(value)})'
            )
        object.__setattr__(self, name, value)

    def __setstate__(self, state: Any) -> None:
        fields, slots = state if isinstance(state, tuple) else (state, {})
        vars(self).update(fields)
        object.__setattr__(self, "_fixed", slots.get("_fixed", False))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        set_here = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if value is not None)
        return f"{type(self).__name__}({set_here})"

    def merge(self, options: Any) -> Self:
        """These options with those that the other one sets."""
        merged = type(self)()
        for name in self._known:
            mine, theirs = vars(self).get(name), vars(options).get(name)
            value = mine.merge(theirs) if isinstance(mine, _OptionFields) else mine if theirs is None else theirs
            if value is not None or name not in self._defaults:
                object.__setattr__(merged, name, value)
        return merged


@export("data.ThreadingOptions", "data.experimental.ThreadingOptions")
class ThreadingOptions(_OptionFields):
    """The number of threads that a dataset may use.

    Attributes:
      private_threadpool_size: the number of private threads for its parallel stages; None or 0 shares those of the
        process.
      max_intra_op_parallelism: accepted; one op of a stage runs on one thread.
    """

    _known: ClassVar[Mapping[str, type]] = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


@export("data.experimental.AutotuneOptions")
class AutotuneOptions(_OptionFields):
    """The decisions of AUTOTUNE.

    Attributes:
      enabled: False lets stages with `AUTOTUNE` run as if nothing had been said.
      cpu_budget: the number of threads that it may use; None is the number of cores.
      ram_budget: accepted.
      autotune_algorithm, initial_parallelism, min_parallelism: accepted.
    """

    _known: ClassVar[Mapping[str, type]] = {
        "autotune_algorithm": object, "cpu_budget": int, "enabled": bool, "initial_parallelism": int,
        "min_parallelism": int, "ram_budget": int,
    }  # fmt: skip


@export("data.experimental.OptimizationOptions")
class OptimizationOptions(_OptionFields):
    """TensorFlow's rewriting passes; accepted. The plan decides about such passes here, and results stay equal."""

    _known: ClassVar[Mapping[str, type]] = dict.fromkeys(
        (
            "apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch",
            "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization",
            "noop_elimination", "parallel_batch", "seq_interleave_prefetch", "shuffle_and_repeat_fusion", "warm_start",
        ),
        bool,
    )  # fmt: skip


@export("data.experimental.DistributeOptions")
class DistributeOptions(_OptionFields):
    """The division of a dataset among workers; accepted, as a strategy has one worker here.

    Attributes:
      auto_shard_policy: an `AutoShardPolicy`; `AUTO` until it is set.
      num_devices: the number of devices, an integer.
    """

    _known: ClassVar[Mapping[str, type]] = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}
    _defaults = {"auto_shard_policy": AutoShardPolicy.AUTO}


@export("data.experimental.ServiceOptions")
class ServiceOptions(_OptionFields):
    """The options of TensorFlow's dataset service; accepted, as there is no such service here.

    Attributes:
      pinned: whether elements arrive in pinned memory, a bool.
    """

    _known: ClassVar[Mapping[str, type]] = {"pinned": bool}


@export("data.Options")
class Options(_OptionFields):
    """The execution of a dataset; set its fields and pass it to `Dataset.with_options`.

    Attributes:
      deterministic: whether parallel stages without an argument of that name keep the order; None is
        True.
      threading, autotune, experimental_optimization, experimental_distribute, experimental_service: see these.
      experimental_threading, experimental_deterministic: older names of `threading` and `deterministic`.
      experimental_external_state_policy: an `ExternalStatePolicy`, the treatment of functions with state when
        a position is saved; None is `IGNORE`.
      experimental_symbolic_checkpoint: whether saving a position refuses the stages that TensorFlow has no symbolic
        checkpoints of, such as windows; positions are the same.
      experimental_warm_start: whether an iterator has the stages of `prefetch` begin before its first element.
      experimental_slack, framework_type, dataset_name: accepted.
    """

    _known: ClassVar[Mapping[str, type]] = {
        "autotune": AutotuneOptions, "dataset_name": str, "deterministic": bool,
        "experimental_distribute": DistributeOptions, "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions, "experimental_service": ServiceOptions,
        "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool, "experimental_warm_start": bool, "framework_type": list,
        "threading": ThreadingOptions,
    }  # fmt: skip
    _older = {"experimental_deterministic": "deterministic", "experimental_threading": "threading"}

    def __init__(self) -> None:
        super().__init__()
        self.threading: ThreadingOptions = ThreadingOptions()
        self.autotune: AutotuneOptions = AutotuneOptions()
        self.experimental_optimization: OptimizationOptions = OptimizationOptions()
        self.experimental_distribute: DistributeOptions = DistributeOptions()
        self.experimental_service: ServiceOptions = ServiceOptions()

    @property
    def ordered(self) -> bool:
        """Whether parallel stages without an own setting keep the order."""
        return self.deterministic is not False  # type: ignore[attr-defined]
