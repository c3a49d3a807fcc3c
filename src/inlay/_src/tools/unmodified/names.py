"""Resolution of names in TensorFlow's modules.

A program reaches names by public modules (`tensorflow`, `tensorflow.compat.v1`, `tensorflow.io`), which are namespaces
of inlay, and by those that TensorFlow calls private (`tensorflow.python.ops.math_ops`), which older programs import
all the same. A name in such a module nearly always has a public counterpart of the same name: it is searched in
the namespace of the module, then at top level, then in every other one.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from inlay._src.base.export import absent_names, public

VERSIONS = {True: "1.15.5", False: "2.21.0"}
"""The TensorFlow whose names a program finds: under 1.x behavior, or not."""

_PACKAGES = frozenset(
    f"tensorflow.{path}".rstrip(".")
    for path in """
    python python.autograph python.autograph.impl python.client python.data python.data.experimental
    python.data.experimental.ops python.data.kernel_tests python.data.ops python.data.util python.debug
    python.distribute python.eager python.eager.polymorphic_function python.estimator python.feature_column
    python.framework python.keras python.kernel_tests python.layers python.lib python.lib.io python.module python.ops
    python.ops.distributions python.ops.linalg python.ops.linalg.sparse python.ops.losses python.ops.numpy_ops
    python.ops.parallel_for python.ops.ragged python.ops.signal python.ops.structured python.platform
    python.profiler python.saved_model
    python.summary python.summary.writer python.tools python.tpu python.trackable python.training
    python.training.experimental python.training.saving python.training.tracking python.util core core.example
    core.framework core.protobuf core.util compiler compiler.tf2xla compiler.tf2xla.python
    """.split()
)
"""Private modules that hold modules and no names."""

_AT_HOME = {
    "app": "app",
    "array_ops": "",
    "backprop": "",
    "clip_ops": "",
    "convolutional": "layers",
    "core": "layers",
    "compat": "compat",
    "config": "config",
    "ctc_ops": "nn",
    "dataset_ops": "data",
    "dtypes": "dtypes",
    "embedding_ops": "nn",
    "errors": "errors",
    "errors_impl": "errors",
    "file_io": "io.gfile",
    "flags": "flags",
    "gfile": "io.gfile",
    "googletest": "test",
    "image_ops": "image",
    "image_ops_impl": "image",
    "init_ops": "initializers",
    "init_ops_v2": "initializers",
    "io_ops": "io",
    "iterator_ops": "data",
    "layers": "layers",
    "linalg_ops": "linalg",
    "losses": "losses",
    "losses_impl": "losses",
    "math_ops": "math",
    "metrics": "metrics",
    "metrics_impl": "metrics",
    "moving_averages": "train",
    "nest": "nest",
    "nn": "nn",
    "nn_impl": "nn",
    "nn_ops": "nn",
    "parsing_ops": "io",
    "normalization": "layers",
    "pooling": "layers",
    "ragged_tensor": "ragged",
    "random_ops": "random",
    "readers": "data",
    "rnn": "nn",
    "rnn_cell": "nn.rnn_cell",
    "rnn_cell_impl": "nn.rnn_cell",
    "sparse_ops": "sparse",
    "string_ops": "strings",
    "summary": "summary",
    "test": "test",
    "test_util": "test",
    "tf_logging": "logging",
    "tf_record": "io",
}
"""Last part of a private module's name -> the namespace in which its names are public."""

_MORE_HOMES = {
    "config": ("config.experimental",),
    "nest": ("contrib.framework.nest",),
    "api": ("autograph.experimental",),
}
"""Last part of a private module's name -> further namespaces that have some of its names."""

_RENAMED = {
    "constant_value": "get_static_value",
    "smart_cond": "contrib.framework.smart_cond",
    "eager_py_func": "py_function",
    "DatasetV1": "compat.v1.data.Dataset",
    "DatasetV1Adapter": "compat.v1.data.Dataset",
    "DatasetV2": "data.Dataset",
    "RefVariable": "compat.v1.Variable",
    "ResourceVariable": "Variable",
    "VariableV1": "compat.v1.Variable",
    "TensorShapeV1": "TensorShape",
    "OptimizerV1": "compat.v1.train.Optimizer",
    "FunctionV2": "function",
    "EagerTensor": "Tensor",
}
"""A private name -> the public one of the same thing."""


_UNPUBLISHED = {
    "Defun": "programs.functions.defun",
    **dict.fromkeys(("AllocationMaximum", "StepStatsAnalysis", "Timeline"), "programs.session.timeline"),
    "eager_mode": "core.modes",
    "graph_mode": "core.modes",
    **dict.fromkeys(
        """
        for_all_test_methods run_in_graph_and_eager_modes run_all_in_graph_and_eager_modes deprecated_graph_mode_only
        run_deprecated_v1 run_v1_only run_v2_only run_gpu_only run_cuda_only skip_if also_run_as_tf_function
        build_as_function_and_v1_graph disable_xla disable_mlir_bridge disable_tfrt disable_eager_op_as_function
        run_without_tensor_float_32 run_all_without_tensor_float_32 disable_cudnn_autotune with_control_flow_v2
        enable_control_flow_v2 disable_control_flow_v2 enable_output_all_intermediates with_eager_op_as_function
        assert_no_garbage_created assert_no_new_tensors assert_no_new_pyobjects_executing_eagerly use_gpu force_cpu
        force_gpu IsMklEnabled is_xla_enabled
        """.split(),
        "tf1.platform.decorators",
    ),
    "ListWrapper": "training.trackable:ListWrapper",
    "_DictWrapper": "training.trackable:_DictWrapper",
    **dict.fromkeys(
        """
        dynamic_update_slice sparse_tensor_to_csr_sparse_matrix csr_sparse_matrix_to_sparse_tensor
        sparse_matrix_sparse_mat_mul
        """.split(),
        "tools.unmodified.private_ops",
    ),
    **dict.fromkeys(
        """
        enabled list_local_devices with_dependencies deprecated deprecated_args deprecated_arg_values silence
        inplace_update inplace_add inplace_sub alias_inplace_update alias_inplace_add alias_inplace_sub fn_args
        context contextmanager make_decorator should_record_backprop should_record async_wait _reset_context
        is_op_determinism_enabled disable_op_determinism
        """.split(),
        "tools.unmodified.private",
    ),
}
"""A name of private modules that has no public path -> the module below `_src` that defines it, and its name there."""


_INSTEAD = {"list_ops": "use tf.TensorArray", "gen_list_ops": "use tf.TensorArray"}
"""Last part of a private module's name -> what to do instead of the names in it that are not here."""


WHOLE = {"tensorflow.python.framework.type_spec_registry": "tools.unmodified.type_spec_registry"}
"""A private module whose names say nothing without it -> the module below `_src` that has all of them."""


class Absent(NamedTuple):
    """A module that is not here.

    Attributes:
      advice: an alternative.
    """

    advice: str


def is_private(module: str) -> bool:
    """Whether TensorFlow calls a module private."""
    return module.startswith(("tensorflow.python", "tensorflow.core", "tensorflow.compiler"))


def spaces(module: str, v1: bool) -> list[str] | Absent | None:
    """The namespaces in which names of a module of TensorFlow are looked for, in order.

    Args:
      module: "tensorflow", "tensorflow.io.gfile", "tensorflow.python.ops.array_ops".
      v1: whether `tensorflow` itself is that of 1.x.

    Returns:
      Paths of namespaces, "" for the top level, none for a package that holds modules only; `Absent` for a module that
      has no place here; None if TensorFlow has no such module as far as known.
    """
    if module in _PACKAGES:
        return []
    parent, _, last = module.rpartition(".")
    if is_private(module):
        if parent not in _PACKAGES:
            return None
        if ".keras" in module:
            return Absent("it was TensorFlow's copy of an earlier Keras: use tf.keras")
        if not module.startswith("tensorflow.compiler") and (absent := _table(last)):
            return Absent(absent)
        home = _AT_HOME.get(last, "")
        homes = [f"compat.v1.{home}".rstrip("."), home, *_MORE_HOMES.get(last, ())]
        order = dict.fromkeys([*homes, "compat.v1", "", *_everywhere()])
        return [place for place in order if _namespace(place) is not None]
    path = _public_contrib(module.partition(".")[2])
    first = path.partition(".")[0]
    if first not in ("compat", "contrib") and v1:
        path = f"compat.v1.{path}".rstrip(".")
    if _namespace(path) is not None:
        return [path]
    advice_of_table = _table(first) or (_table(last) if first in ("compat", "contrib") else "")
    return Absent(advice_of_table) if advice_of_table else None


def _public_contrib(path: str) -> str:
    """`contrib.layers.python.layers.utils` as `contrib.layers.utils`; `contrib.layers` where there is no such part."""
    public_part, private, inner = path.partition(".python")
    if not (path.startswith("contrib.") and private):
        return path
    parts = inner.strip(".").split(".")
    for start in range(len(parts)):  # the longest that there is
        candidate = ".".join([public_part, *parts[start:]])
        if _namespace(candidate) is not None:
            return candidate
    return public_part


def why_not(module: str, v1: bool) -> str:
    """An addition to the refusal of a module that TensorFlow is not known to have: it may be a name."""
    parent, _, last = module.rpartition(".")
    namespaces = spaces(parent, v1) if parent else None
    if isinstance(namespaces, list):
        try:
            find(last, namespaces)
        except AttributeError as error:
            return advice(error, parent, last)
        return f": {last} is no module"
    return ""


def advice(error: AttributeError, module: str, name: str) -> str:
    """The advice for a name that a module lacks: ": use ...", ": the nearest name here is ...", or "".

    Args:
      error: the error of the namespace.
      module: the module of TensorFlow.
      name: the name.
    """
    instead = _INSTEAD.get(module.rpartition(".")[2]) if is_private(module) else None
    return f": {instead}" if instead else str(error).partition(repr(name))[2]


def find(name: str, places: list[str]) -> Any:
    """The object of a name in the first of some namespaces that has it.

    Raises:
      AttributeError: as the first namespace says it, if none has the name.
    """
    renamed = _RENAMED.get(name) if len(places) > 1 else None
    if renamed is not None:
        place, _, last = renamed.rpartition(".")
        return getattr(_namespace(place), last)
    if len(places) > 1 and name in _UNPUBLISHED:
        module, _, inner = _UNPUBLISHED[name].partition(":")
        return getattr(importlib.import_module(f"inlay._src.{module}"), inner or name)
    refused: AttributeError | None = None
    for place in places:
        try:
            return getattr(_namespace(place), name)
        except AttributeError as error:
            refused = refused or error
    raise refused or AttributeError(name)


def listed(places: list[str]) -> list[str]:
    """The names of the first of some namespaces."""
    return list(vars(_namespace(places[0]))["__all__"]) if places else []


def _namespace(path: str) -> ModuleType | None:
    """The namespace of a path, "" for the top level; None if there is none. It may be at home under another path:
    `compat.v1.logging` is `logging`."""
    place: Any = public("")
    for part in path.split(".") if path else ():
        if part not in place.__all__ or not isinstance(inner := getattr(place, part), ModuleType):
            return None
        place = inner
    return place  # type: ignore[no-any-return]


def _table(name: str) -> str:
    """The compatibility table's advice for an absent name of the top level; "" without an entry."""
    return absent_names("").get(name, "")


def _everywhere() -> Iterator[str]:
    """Every namespace that programs reach from the top level and is no part of another."""
    api = public("")
    for name in api.__all__:
        if name not in ("compat", "contrib", "autograph") and isinstance(getattr(api, name), ModuleType):
            yield name
