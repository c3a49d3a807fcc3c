"""`tf.train`: checkpoints, optimizers and learning rates."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.cluster.server import Server
from inlay.cluster.spec import ClusterSpec, ServerDef
from inlay.graph_def.writing import write_graph
from inlay.monitored.creators import ChiefSessionCreator, SessionCreator, WorkerSessionCreator
from inlay.monitored.hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from inlay.monitored.logging_hook import LoggingTensorHook
from inlay.monitored.monitored_session import MonitoredSession, MonitoredTrainingSession, SingularMonitoredSession
from inlay.monitored.saving_hooks import CheckpointSaverHook, CheckpointSaverListener
from inlay.monitored.scaffold import Scaffold
from inlay.monitored.session_manager import SessionManager
from inlay.monitored.step_hooks import (
    FeedFnHook, FinalOpsHook, GlobalStepWaiterHook, NanLossDuringTrainingError, NanTensorHook, StopAtStepHook
)
from inlay.monitored.summary_hooks import StepCounterHook, SummarySaverHook
from inlay.monitored.supervisor import Supervisor, basic_train_loop
from inlay.monitored.timer import SecondOrStepTimer
from inlay.protos.example import (
    BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List, SequenceExample
)
from inlay.protos.saved_model import SaverDef
from inlay.queues.batching import (
    batch, batch_join, maybe_batch, maybe_batch_join, maybe_shuffle_batch, maybe_shuffle_batch_join, shuffle_batch,
    shuffle_batch_join
)
from inlay.queues.coordinator import Coordinator, LooperThread
from inlay.queues.producers import (
    input_producer, limit_epochs, match_filenames_once, range_input_producer, slice_input_producer,
    string_input_producer
)
from inlay.queues.queue_runner import QueueRunner, add_queue_runner, start_queue_runners
from inlay.summaries.reading import summary_iterator
from inlay.train import experimental
from inlay.training.checkpoint import Checkpoint
from inlay.training.checkpoint_options import CheckpointOptions
from inlay.training.checkpoint_state import (
    CheckpointState, checkpoint_exists, checkpoints_iterator, get_checkpoint_state, latest_checkpoint, list_variables,
    load_checkpoint, load_variable, remove_checkpoint, update_checkpoint_state
)
from inlay.training.global_step import (
    assert_global_step, create_global_step, get_global_step, get_or_create_global_step, global_step
)
from inlay.training.manager import CheckpointManager
from inlay.training.moving_averages import ExponentialMovingAverage, assign_moving_average, weighted_moving_average
from inlay.training.optimizer import Optimizer
from inlay.training.optimizers import (
    AdagradOptimizer, AdamOptimizer, GradientDescentOptimizer, MomentumOptimizer, RMSPropOptimizer
)
from inlay.training.saver import Saver
from inlay.training.schedules import (
    cosine_decay, exponential_decay, inverse_time_decay, natural_exp_decay, piecewise_constant, piecewise_constant as
    piecewise_constant_decay, polynomial_decay
)
from inlay.training.sparse_optimizers import (
    AdadeltaOptimizer, AdagradDAOptimizer, FtrlOptimizer, ProximalAdagradOptimizer, ProximalGradientDescentOptimizer
)
__all__ = [
    "AdadeltaOptimizer", "AdagradDAOptimizer", "AdagradOptimizer", "AdamOptimizer", "BytesList", "Checkpoint",
    "CheckpointManager", "CheckpointOptions", "CheckpointSaverHook", "CheckpointSaverListener", "CheckpointState",
    "ChiefSessionCreator", "ClusterSpec", "Coordinator", "Example", "ExponentialMovingAverage", "Feature",
    "FeatureList", "FeatureLists", "Features", "FeedFnHook", "FinalOpsHook", "FloatList", "FtrlOptimizer",
    "GlobalStepWaiterHook", "GradientDescentOptimizer", "Int64List", "LoggingTensorHook", "LooperThread",
    "MomentumOptimizer", "MonitoredSession", "MonitoredTrainingSession", "NanLossDuringTrainingError", "NanTensorHook",
    "Optimizer", "ProximalAdagradOptimizer", "ProximalGradientDescentOptimizer", "QueueRunner", "RMSPropOptimizer",
    "Saver", "SaverDef", "Scaffold", "SecondOrStepTimer", "SequenceExample", "Server", "ServerDef", "SessionCreator",
    "SessionManager", "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues",
    "SingularMonitoredSession", "StepCounterHook", "StopAtStepHook", "SummarySaverHook", "Supervisor",
    "WorkerSessionCreator", "add_queue_runner", "assert_global_step", "assign_moving_average", "basic_train_loop",
    "batch", "batch_join", "checkpoint_exists", "checkpoints_iterator", "cosine_decay", "create_global_step",
    "experimental", "exponential_decay", "get_checkpoint_state", "get_global_step", "get_or_create_global_step",
    "global_step", "input_producer", "inverse_time_decay", "latest_checkpoint", "limit_epochs", "list_variables",
    "load_checkpoint", "load_variable", "match_filenames_once", "maybe_batch", "maybe_batch_join",
    "maybe_shuffle_batch", "maybe_shuffle_batch_join", "natural_exp_decay", "piecewise_constant",
    "piecewise_constant_decay", "polynomial_decay", "range_input_producer", "remove_checkpoint", "shuffle_batch",
    "shuffle_batch_join", "slice_input_producer", "start_queue_runners", "string_input_producer", "summary_iterator",
    "update_checkpoint_state", "weighted_moving_average", "write_graph"
]
