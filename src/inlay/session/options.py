"""What a session and a run may be told, and what a run reports."""

from __future__ import annotations

from typing import Any

from inlay.export import export


class _Options:
    """A bag of options: every name may be set and read."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Options()
        self.__dict__[name] = made
        return made

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


@export("GPUOptions")
class GPUOptions(_Options):
    """GPU options, accepted as TensorFlow does."""


@export("OptimizerOptions")
class OptimizerOptions(_Options):
    """How a session treats its graphs.

    `global_jit_level` has meaning: ON_1 and ON_2 compile pure parts with XLA, those of branches, loops and functions
    too.
    """

    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    L0, L1 = -1, 0


@export("GraphOptions")
class GraphOptions(_Options):
    """Options of a session's graphs. `optimizer_options.global_jit_level` has meaning; the rest is accepted."""


@export("ConfigProto")
class ConfigProto(_Options):
    """A session's configuration.

    `allow_soft_placement`, `log_device_placement` and `graph_options` have meaning; the rest is accepted.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **{
                "allow_soft_placement": False,
                "log_device_placement": False,
                "intra_op_parallelism_threads": 0,
                "inter_op_parallelism_threads": 0,
                **options,
            }
        )


@export("RunOptions")
class RunOptions(_Options):
    """One run's options. `timeout_in_ms` has meaning: the run returns at the deadline."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"timeout_in_ms": 0, "trace_level": 0, **options})


@export("RunMetadata")
class RunMetadata(_Options):
    """What a run reports; empty."""


def asks_for_jit(config: Any) -> bool:
    """Whether a session's configuration asks for compilation."""
    level = config
    for name in ("graph_options", "optimizer_options", "global_jit_level"):
        level = getattr(level, name, None)
    return isinstance(level, int) and level in (OptimizerOptions.ON_1, OptimizerOptions.ON_2)
