"""`tf.compat.v1.train`: `tf.train` with the `Checkpoint` of 1.x, whose second argument is the session."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.cluster.replica_devices import replica_device_setter
from inlay._src.tf1.monitored.profiling_hook import ProfilerHook
from inlay._src.training.checkpoint import CheckpointV1 as Checkpoint
from inlay._src.training.checkpoint_state import (
    new_checkpoint_reader as NewCheckpointReader, generate_checkpoint_state_proto, get_checkpoint_mtimes
)
from inlay._src.training.first_values import init_from_checkpoint
from inlay._src.training.saver import export_meta_graph, import_meta_graph
from inlay._src.training.schedules import cosine_decay_restarts, linear_cosine_decay, noisy_linear_cosine_decay
from inlay._src.training.warm_starting import VocabInfo, warm_start
from inlay.compat.v1.train import experimental, queue_runner
from inlay.train import (
    AdadeltaOptimizer, AdagradDAOptimizer, AdagradOptimizer, AdamOptimizer, BytesList, CheckpointManager,
    CheckpointOptions, CheckpointSaverHook, CheckpointSaverListener, CheckpointState, CheckpointView,
    ChiefSessionCreator, ClusterDef, ClusterSpec, Coordinator, Example, ExponentialMovingAverage, Feature, FeatureList,
    FeatureLists, Features, FeedFnHook, FinalOpsHook, FloatList, FtrlOptimizer, GlobalStepWaiterHook,
    GradientDescentOptimizer, Int64List, JobDef, LoggingTensorHook, LooperThread, MomentumOptimizer, MonitoredSession,
    MonitoredTrainingSession, NanLossDuringTrainingError, NanTensorHook, Optimizer, ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer, QueueRunner, RMSPropOptimizer, Saver, SaverDef, Scaffold, SecondOrStepTimer,
    SequenceExample, Server, ServerDef, SessionCreator, SessionManager, SessionRunArgs, SessionRunContext,
    SessionRunHook, SessionRunValues, SingularMonitoredSession, StepCounterHook, StopAtStepHook, SummarySaverHook,
    Supervisor, TrackableView, WorkerSessionCreator, add_queue_runner, assert_global_step, assign_moving_average,
    basic_train_loop, batch, batch_join, checkpoint_exists, checkpoints_iterator, cosine_decay, create_global_step,
    exponential_decay, get_checkpoint_state, get_global_step, get_or_create_global_step, global_step, input_producer,
    inverse_time_decay, latest_checkpoint, limit_epochs, list_variables, load_checkpoint, load_variable,
    match_filenames_once, maybe_batch, maybe_batch_join, maybe_shuffle_batch, maybe_shuffle_batch_join,
    natural_exp_decay, piecewise_constant, piecewise_constant_decay, polynomial_decay, range_input_producer,
    remove_checkpoint, shuffle_batch, shuffle_batch_join, slice_input_producer, start_queue_runners,
    string_input_producer, summary_iterator, update_checkpoint_state, weighted_moving_average, write_graph
)
__all__ = [
    "AdadeltaOptimizer", "AdagradDAOptimizer", "AdagradOptimizer", "AdamOptimizer", "BytesList", "Checkpoint",
    "CheckpointManager", "CheckpointOptions", "CheckpointSaverHook", "CheckpointSaverListener", "CheckpointState",
    "CheckpointView", "ChiefSessionCreator", "ClusterDef", "ClusterSpec", "Coordinator", "Example",
    "ExponentialMovingAverage", "Feature", "FeatureList", "FeatureLists", "Features", "FeedFnHook", "FinalOpsHook",
    "FloatList", "FtrlOptimizer", "GlobalStepWaiterHook", "GradientDescentOptimizer", "Int64List", "JobDef",
    "LoggingTensorHook", "LooperThread", "MomentumOptimizer", "MonitoredSession", "MonitoredTrainingSession",
    "NanLossDuringTrainingError", "NanTensorHook", "NewCheckpointReader", "Optimizer", "ProfilerHook",
    "ProximalAdagradOptimizer", "ProximalGradientDescentOptimizer", "QueueRunner", "RMSPropOptimizer", "Saver",
    "SaverDef", "Scaffold", "SecondOrStepTimer", "SequenceExample", "Server", "ServerDef", "SessionCreator",
    "SessionManager", "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues",
    "SingularMonitoredSession", "StepCounterHook", "StopAtStepHook", "SummarySaverHook", "Supervisor", "TrackableView",
    "VocabInfo", "WorkerSessionCreator", "add_queue_runner", "assert_global_step", "assign_moving_average",
    "basic_train_loop", "batch", "batch_join", "checkpoint_exists", "checkpoints_iterator", "cosine_decay",
    "cosine_decay_restarts", "create_global_step", "experimental", "exponential_decay", "export_meta_graph",
    "generate_checkpoint_state_proto", "get_checkpoint_mtimes", "get_checkpoint_state", "get_global_step",
    "get_or_create_global_step", "global_step", "import_meta_graph", "init_from_checkpoint", "input_producer",
    "inverse_time_decay", "latest_checkpoint", "limit_epochs", "linear_cosine_decay", "list_variables",
    "load_checkpoint", "load_variable", "match_filenames_once", "maybe_batch", "maybe_batch_join",
    "maybe_shuffle_batch", "maybe_shuffle_batch_join", "natural_exp_decay", "noisy_linear_cosine_decay",
    "piecewise_constant", "piecewise_constant_decay", "polynomial_decay", "queue_runner", "range_input_producer",
    "remove_checkpoint", "replica_device_setter", "shuffle_batch", "shuffle_batch_join", "slice_input_producer",
    "start_queue_runners", "string_input_producer", "summary_iterator", "update_checkpoint_state", "warm_start",
    "weighted_moving_average", "write_graph"
]
