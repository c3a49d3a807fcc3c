"""TensorFlow's options of graph optimizers: accepted and returned. A plan always prunes, merges and folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inlay._src.base.export import export

_NAMES = (
    "layout_optimizer constant_folding shape_optimization remapping arithmetic_optimization dependency_optimization "
    "loop_optimization function_optimization debug_stripper disable_model_pruning scoped_allocator_optimization "
    "pin_to_host_optimization implementation_selector auto_mixed_precision use_plugin_optimizers "
    "disable_meta_optimizer auto_mixed_precision_onednn_bfloat16 auto_mixed_precision_mkl min_graph_nodes "
    "auto_parallel".split()
)
_options: dict[str, Any] = {"disable_model_pruning": False, "disable_meta_optimizer": False}


@export("config.optimizer.set_experimental_options")
def set_experimental_options(options: Mapping[str, Any]) -> None:
    """Accepts options that `get_experimental_options` returns; they change nothing. `Session.plan` shows a plan.

    Args:
      options: name -> value. Other names than TensorFlow's are ignored, as there.
    """
    _options.update({name: value for name, value in options.items() if name in _NAMES})


@export("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict[str, Any]:
    """The options that were set, and the two that are always there, in TensorFlow's order."""
    return {name: _options[name] for name in _NAMES if name in _options}
