"""`tf.train`: checkpoints, optimizers and learning rates."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "train",
    {
        "base.protos.example":
        "BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample",
        "base.protos.saved_model": "SaverDef",
        "cluster.server": "Server",
        "cluster.spec": "ClusterSpec ServerDef",
        "programs.graph_def.writing": "write_graph",
        "programs.session.options": "ClusterDef JobDef",
        "tf1.monitored.creators": "ChiefSessionCreator SessionCreator WorkerSessionCreator",
        "tf1.monitored.hook": "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues",
        "tf1.monitored.logging_hook": "LoggingTensorHook",
        "tf1.monitored.monitored_session": "MonitoredSession MonitoredTrainingSession SingularMonitoredSession",
        "tf1.monitored.saving_hooks": "CheckpointSaverHook CheckpointSaverListener",
        "tf1.monitored.scaffold": "Scaffold",
        "tf1.monitored.session_manager": "SessionManager",
        "tf1.monitored.step_hooks":
        "FeedFnHook FinalOpsHook GlobalStepWaiterHook NanLossDuringTrainingError NanTensorHook StopAtStepHook",
        "tf1.monitored.summary_hooks": "StepCounterHook SummarySaverHook",
        "tf1.monitored.supervisor": "Supervisor basic_train_loop",
        "tf1.monitored.timer": "SecondOrStepTimer",
        "tf1.queues.batching":
        "batch batch_join maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join "
        "shuffle_batch shuffle_batch_join",
        "tf1.queues.coordinator": "Coordinator LooperThread",
        "tf1.queues.producers":
        "input_producer limit_epochs match_filenames_once range_input_producer slice_input_producer "
        "string_input_producer",
        "tf1.queues.queue_runner": "QueueRunner add_queue_runner start_queue_runners",
        "tf1.summaries.reading": "summary_iterator",
        "training.checkpoint": "Checkpoint",
        "training.checkpoint_options": "CheckpointOptions",
        "training.checkpoint_state":
        "CheckpointState checkpoint_exists checkpoints_iterator get_checkpoint_state latest_checkpoint "
        "list_variables load_checkpoint load_variable remove_checkpoint update_checkpoint_state",
        "training.global_step":
        "assert_global_step create_global_step get_global_step get_or_create_global_step global_step",
        "training.manager": "CheckpointManager",
        "training.moving_averages": "ExponentialMovingAverage assign_moving_average weighted_moving_average",
        "training.optimizer": "Optimizer",
        "training.optimizers":
        "AdagradOptimizer AdamOptimizer GradientDescentOptimizer MomentumOptimizer RMSPropOptimizer",
        "training.saver": "Saver",
        "training.schedules":
        "cosine_decay exponential_decay inverse_time_decay natural_exp_decay piecewise_constant "
        "piecewise_constant_decay polynomial_decay",
        "training.sparse_optimizers":
        "AdadeltaOptimizer AdagradDAOptimizer FtrlOptimizer ProximalAdagradOptimizer "
        "ProximalGradientDescentOptimizer",
        "training.views": "CheckpointView TrackableView",
    },
    below=("experimental",),
)
