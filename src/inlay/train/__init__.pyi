"""`tf.train`: checkpoints, optimizers and learning rates."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.base.protos.example import (
    BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List, SequenceExample
)
from inlay._src.base.protos.saved_model import SaverDef
from inlay._src.cluster.server import Server
from inlay._src.cluster.spec import ClusterSpec, ServerDef
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.programs.graph_def.writing import write_graph
from inlay._src.programs.session.options import ClusterDef, JobDef
from inlay._src.tf1.monitored.creators import ChiefSessionCreator, SessionCreator, WorkerSessionCreator
from inlay._src.tf1.monitored.hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from inlay._src.tf1.monitored.logging_hook import LoggingTensorHook
from inlay._src.tf1.monitored.monitored_session import (
    MonitoredSession, MonitoredTrainingSession, SingularMonitoredSession
)
from inlay._src.tf1.monitored.saving_hooks import CheckpointSaverHook, CheckpointSaverListener
from inlay._src.tf1.monitored.scaffold import Scaffold
from inlay._src.tf1.monitored.session_manager import SessionManager
from inlay._src.tf1.monitored.step_hooks import (
    FeedFnHook, FinalOpsHook, GlobalStepWaiterHook, NanLossDuringTrainingError, NanTensorHook, StopAtStepHook
)
from inlay._src.tf1.monitored.summary_hooks import StepCounterHook, SummarySaverHook
from inlay._src.tf1.monitored.supervisor import Supervisor, basic_train_loop
from inlay._src.tf1.monitored.timer import SecondOrStepTimer
from inlay._src.tf1.queues.coordinator import Coordinator, LooperThread
from inlay._src.tf1.queues.producers import (
    input_producer, limit_epochs, match_filenames_once, range_input_producer, slice_input_producer,
    string_input_producer
)
from inlay._src.tf1.queues.queue_runner import QueueRunner, add_queue_runner, start_queue_runners
from inlay._src.tf1.summaries.reading import summary_iterator
from inlay._src.training.checkpoint import Checkpoint
from inlay._src.training.checkpoint_options import CheckpointOptions
from inlay._src.training.checkpoint_state import (
    CheckpointState, checkpoint_exists, checkpoints_iterator, get_checkpoint_state, latest_checkpoint, list_variables,
    load_checkpoint, load_variable, remove_checkpoint, update_checkpoint_state
)
from inlay._src.training.global_step import (
    assert_global_step, create_global_step, get_global_step, get_or_create_global_step, global_step
)
from inlay._src.training.manager import CheckpointManager
from inlay._src.training.moving_averages import ExponentialMovingAverage, assign_moving_average, weighted_moving_average
from inlay._src.training.optimizer import Optimizer
from inlay._src.training.optimizers import (
    AdagradOptimizer, AdamOptimizer, GradientDescentOptimizer, MomentumOptimizer, RMSPropOptimizer
)
from inlay._src.training.saver import Saver
from inlay._src.training.schedules import (
    cosine_decay, exponential_decay, piecewise_constant, piecewise_constant as piecewise_constant_decay,
    polynomial_decay
)
from inlay._src.training.sparse_optimizers import (
    AdadeltaOptimizer, AdagradDAOptimizer, FtrlOptimizer, ProximalAdagradOptimizer, ProximalGradientDescentOptimizer
)
from inlay._src.training.views import CheckpointView, TrackableView
from inlay.train import experimental
from typing import Any as _Any, overload as _overload
__all__ = [
    "AdadeltaOptimizer", "AdagradDAOptimizer", "AdagradOptimizer", "AdamOptimizer", "BytesList", "Checkpoint",
    "CheckpointManager", "CheckpointOptions", "CheckpointSaverHook", "CheckpointSaverListener", "CheckpointState",
    "CheckpointView", "ChiefSessionCreator", "ClusterDef", "ClusterSpec", "Coordinator", "Example",
    "ExponentialMovingAverage", "Feature", "FeatureList", "FeatureLists", "Features", "FeedFnHook", "FinalOpsHook",
    "FloatList", "FtrlOptimizer", "GlobalStepWaiterHook", "GradientDescentOptimizer", "Int64List", "JobDef",
    "LoggingTensorHook", "LooperThread", "MomentumOptimizer", "MonitoredSession", "MonitoredTrainingSession",
    "NanLossDuringTrainingError", "NanTensorHook", "Optimizer", "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer", "QueueRunner", "RMSPropOptimizer", "Saver", "SaverDef", "Scaffold",
    "SecondOrStepTimer", "SequenceExample", "Server", "ServerDef", "SessionCreator", "SessionManager",
    "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues", "SingularMonitoredSession",
    "StepCounterHook", "StopAtStepHook", "SummarySaverHook", "Supervisor", "TrackableView", "WorkerSessionCreator",
    "add_queue_runner", "assert_global_step", "assign_moving_average", "basic_train_loop", "batch", "batch_join",
    "checkpoint_exists", "checkpoints_iterator", "cosine_decay", "create_global_step", "experimental",
    "exponential_decay", "get_checkpoint_state", "get_global_step", "get_or_create_global_step", "global_step",
    "input_producer", "inverse_time_decay", "latest_checkpoint", "limit_epochs", "list_variables", "load_checkpoint",
    "load_variable", "match_filenames_once", "maybe_batch", "maybe_batch_join", "maybe_shuffle_batch",
    "maybe_shuffle_batch_join", "natural_exp_decay", "piecewise_constant", "piecewise_constant_decay",
    "polynomial_decay", "range_input_producer", "remove_checkpoint", "shuffle_batch", "shuffle_batch_join",
    "slice_input_producer", "start_queue_runners", "string_input_producer", "summary_iterator",
    "update_checkpoint_state", "weighted_moving_average", "write_graph"
]
@_overload
def batch(tensors: _Tensor, batch_size: _Any, num_threads: int = 1, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Tensor:
    """Batches of elements in their order, gathered by a queue that a runner of the graph fills.

    Args:
      tensors: an element: a list or dictionary of tensors. Each run of them gives another one.
      batch_size: the number of elements per batch, an int32 scalar.
      num_threads: the number of threads that fill the queue; with several the order is not known.
      capacity: the number of elements in the queue.
      enqueue_many: whether `tensors` are several elements, along the first axis.
      shapes: the shape of each component of an element, where it is not known.
      dynamic_pad: whether components vary in size; batches are filled up with zeros.
      allow_smaller_final_batch: whether the rest at the end is a batch too; the size of batches is not known then.
      shared_name: of the queue.
      name: of the scope.

    Returns:
      Like an element, with an axis of size `batch_size` in front; a tensor for a list of one.

    Raises:
      ValueError: if shapes are not known, and while executing eagerly."""
@_overload
def batch(tensors: dict[str, _Tensor], batch_size: _Any, num_threads: int = 1, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> dict[str, _Tensor]: ...
@_overload
def batch(tensors: _Any, batch_size: _Any, num_threads: int = 1, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Any: ...
@_overload
def batch_join(tensors_list: list[_Tensor], batch_size: _Any, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Tensor:
    """Batches of elements in their order, gathered by a queue that a runner of the graph fills.

    Args:
      tensors_list: a list of elements with the same components, one per source. Each source has a thread of its own.
      batch_size: the number of elements per batch, an int32 scalar.
      capacity: the number of elements in the queue.
      enqueue_many: whether `tensors` are several elements, along the first axis.
      shapes: the shape of each component of an element, where it is not known.
      dynamic_pad: whether components vary in size; batches are filled up with zeros.
      allow_smaller_final_batch: whether the rest at the end is a batch too; the size of batches is not known then.
      shared_name: of the queue.
      name: of the scope.

    Returns:
      Like an element, with an axis of size `batch_size` in front; a tensor for a list of one.

    Raises:
      ValueError: if shapes are not known, and while executing eagerly."""
@_overload
def batch_join(tensors_list: list[dict[str, _Tensor]], batch_size: _Any, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> dict[str, _Tensor]: ...
@_overload
def batch_join(tensors_list: _Any, batch_size: _Any, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Any: ...
def inverse_time_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, decay_rate: _Any, staircase: builtins.bool = False, name: str | None = None) -> _Tensor | _Any:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    Args:
      learning_rate: the first rate.
      global_step: the step counter.
      decay_steps, decay_rate: see the formula.
      staircase: whether the exponent is rounded down.
      name: names the nodes."""
@_overload
def maybe_batch(tensors: _Tensor, keep_input: _Any, batch_size: _Any, num_threads: int = 1, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Tensor:
    """Batches of elements in their order, gathered by a queue that a runner of the graph fills.

    Args:
      tensors: an element: a list or dictionary of tensors. Each run of them gives another one.
      keep_input: whether an element is kept, a bool scalar; with `enqueue_many` also a vector, one for each.
      batch_size: the number of elements per batch, an int32 scalar.
      num_threads: the number of threads that fill the queue; with several the order is not known.
      capacity: the number of elements in the queue.
      enqueue_many: whether `tensors` are several elements, along the first axis.
      shapes: the shape of each component of an element, where it is not known.
      dynamic_pad: whether components vary in size; batches are filled up with zeros.
      allow_smaller_final_batch: whether the rest at the end is a batch too; the size of batches is not known then.
      shared_name: of the queue.
      name: of the scope.

    Returns:
      Like an element, with an axis of size `batch_size` in front; a tensor for a list of one.

    Raises:
      ValueError: if shapes are not known, and while executing eagerly."""
@_overload
def maybe_batch(tensors: dict[str, _Tensor], keep_input: _Any, batch_size: _Any, num_threads: int = 1, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> dict[str, _Tensor]: ...
@_overload
def maybe_batch(tensors: _Any, keep_input: _Any, batch_size: _Any, num_threads: int = 1, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Any: ...
@_overload
def maybe_batch_join(tensors_list: list[_Tensor], keep_input: _Any, batch_size: _Any, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Tensor:
    """Batches of elements in their order, gathered by a queue that a runner of the graph fills.

    Args:
      tensors_list: a list of elements with the same components, one per source. Each source has a thread of its own.
      keep_input: whether an element is kept, a bool scalar; with `enqueue_many` also a vector, one for each.
      batch_size: the number of elements per batch, an int32 scalar.
      capacity: the number of elements in the queue.
      enqueue_many: whether `tensors` are several elements, along the first axis.
      shapes: the shape of each component of an element, where it is not known.
      dynamic_pad: whether components vary in size; batches are filled up with zeros.
      allow_smaller_final_batch: whether the rest at the end is a batch too; the size of batches is not known then.
      shared_name: of the queue.
      name: of the scope.

    Returns:
      Like an element, with an axis of size `batch_size` in front; a tensor for a list of one.

    Raises:
      ValueError: if shapes are not known, and while executing eagerly."""
@_overload
def maybe_batch_join(tensors_list: list[dict[str, _Tensor]], keep_input: _Any, batch_size: _Any, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> dict[str, _Tensor]: ...
@_overload
def maybe_batch_join(tensors_list: _Any, keep_input: _Any, batch_size: _Any, capacity: int = 32, enqueue_many: builtins.bool = False, shapes: _Any = None, dynamic_pad: builtins.bool = False, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Any: ...
@_overload
def maybe_shuffle_batch(tensors: _Tensor, batch_size: _Any, capacity: int, min_after_dequeue: int, keep_input: _Any, num_threads: int = 1, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Tensor:
    """Batches of elements in a random order, gathered by a queue that a runner of the graph fills.

    Args:
      tensors: an element: a list or dictionary of tensors. Each run of them gives another one.
      batch_size: the number of elements per batch, an int32 scalar.
      capacity: the number of elements in the queue.
      min_after_dequeue: the number of elements that stay in the queue, to be shuffled.
      keep_input: whether an element is kept, a bool scalar; with `enqueue_many` also a vector, one for each.
      num_threads: the number of threads that fill the queue; with several the order is not known.
      seed: of the order.
      enqueue_many: whether `tensors` are several elements, along the first axis.
      shapes: the shape of each component of an element, where it is not known.
      allow_smaller_final_batch: whether the rest at the end is a batch too; the size of batches is not known then.
      shared_name: of the queue.
      name: of the scope.

    Returns:
      Like an element, with an axis of size `batch_size` in front; a tensor for a list of one.

    Raises:
      ValueError: if shapes are not known, and while executing eagerly."""
@_overload
def maybe_shuffle_batch(tensors: dict[str, _Tensor], batch_size: _Any, capacity: int, min_after_dequeue: int, keep_input: _Any, num_threads: int = 1, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> dict[str, _Tensor]: ...
@_overload
def maybe_shuffle_batch(tensors: _Any, batch_size: _Any, capacity: int, min_after_dequeue: int, keep_input: _Any, num_threads: int = 1, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Any: ...
@_overload
def maybe_shuffle_batch_join(tensors_list: list[_Tensor], batch_size: _Any, capacity: int, min_after_dequeue: int, keep_input: _Any, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Tensor:
    """Batches of elements in a random order, gathered by a queue that a runner of the graph fills.

    Args:
      tensors_list: a list of elements with the same components, one per source. Each source has a thread of its own.
      batch_size: the number of elements per batch, an int32 scalar.
      capacity: the number of elements in the queue.
      min_after_dequeue: the number of elements that stay in the queue, to be shuffled.
      keep_input: whether an element is kept, a bool scalar; with `enqueue_many` also a vector, one for each.
      seed: of the order.
      enqueue_many: whether `tensors` are several elements, along the first axis.
      shapes: the shape of each component of an element, where it is not known.
      allow_smaller_final_batch: whether the rest at the end is a batch too; the size of batches is not known then.
      shared_name: of the queue.
      name: of the scope.

    Returns:
      Like an element, with an axis of size `batch_size` in front; a tensor for a list of one.

    Raises:
      ValueError: if shapes are not known, and while executing eagerly."""
@_overload
def maybe_shuffle_batch_join(tensors_list: list[dict[str, _Tensor]], batch_size: _Any, capacity: int, min_after_dequeue: int, keep_input: _Any, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> dict[str, _Tensor]: ...
@_overload
def maybe_shuffle_batch_join(tensors_list: _Any, batch_size: _Any, capacity: int, min_after_dequeue: int, keep_input: _Any, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Any: ...
def natural_exp_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, decay_rate: _Any, staircase: builtins.bool = False, name: str | None = None) -> _Tensor | _Any:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    Args:
      learning_rate: the first rate.
      global_step: the step counter.
      decay_steps, decay_rate: see the formula.
      staircase: whether the exponent is rounded down.
      name: names the nodes."""
@_overload
def shuffle_batch(tensors: _Tensor, batch_size: _Any, capacity: int, min_after_dequeue: int, num_threads: int = 1, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Tensor:
    """Batches of elements in a random order, gathered by a queue that a runner of the graph fills.

    Args:
      tensors: an element: a list or dictionary of tensors. Each run of them gives another one.
      batch_size: the number of elements per batch, an int32 scalar.
      capacity: the number of elements in the queue.
      min_after_dequeue: the number of elements that stay in the queue, to be shuffled.
      num_threads: the number of threads that fill the queue; with several the order is not known.
      seed: of the order.
      enqueue_many: whether `tensors` are several elements, along the first axis.
      shapes: the shape of each component of an element, where it is not known.
      allow_smaller_final_batch: whether the rest at the end is a batch too; the size of batches is not known then.
      shared_name: of the queue.
      name: of the scope.

    Returns:
      Like an element, with an axis of size `batch_size` in front; a tensor for a list of one.

    Raises:
      ValueError: if shapes are not known, and while executing eagerly."""
@_overload
def shuffle_batch(tensors: dict[str, _Tensor], batch_size: _Any, capacity: int, min_after_dequeue: int, num_threads: int = 1, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> dict[str, _Tensor]: ...
@_overload
def shuffle_batch(tensors: _Any, batch_size: _Any, capacity: int, min_after_dequeue: int, num_threads: int = 1, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Any: ...
@_overload
def shuffle_batch_join(tensors_list: list[_Tensor], batch_size: _Any, capacity: int, min_after_dequeue: int, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Tensor:
    """Batches of elements in a random order, gathered by a queue that a runner of the graph fills.

    Args:
      tensors_list: a list of elements with the same components, one per source. Each source has a thread of its own.
      batch_size: the number of elements per batch, an int32 scalar.
      capacity: the number of elements in the queue.
      min_after_dequeue: the number of elements that stay in the queue, to be shuffled.
      seed: of the order.
      enqueue_many: whether `tensors` are several elements, along the first axis.
      shapes: the shape of each component of an element, where it is not known.
      allow_smaller_final_batch: whether the rest at the end is a batch too; the size of batches is not known then.
      shared_name: of the queue.
      name: of the scope.

    Returns:
      Like an element, with an axis of size `batch_size` in front; a tensor for a list of one.

    Raises:
      ValueError: if shapes are not known, and while executing eagerly."""
@_overload
def shuffle_batch_join(tensors_list: list[dict[str, _Tensor]], batch_size: _Any, capacity: int, min_after_dequeue: int, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> dict[str, _Tensor]: ...
@_overload
def shuffle_batch_join(tensors_list: _Any, batch_size: _Any, capacity: int, min_after_dequeue: int, seed: int | None = None, enqueue_many: builtins.bool = False, shapes: _Any = None, allow_smaller_final_batch: builtins.bool = False, shared_name: str | None = None, name: str | None = None) -> _Any: ...
