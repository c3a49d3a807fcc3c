"""`tf.compat.v1.train`: `tf.train` with the `Checkpoint` of 1.x, whose second argument is the session."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.train import (
    AdagradOptimizer, AdamOptimizer, BytesList, CheckpointManager, CheckpointOptions, CheckpointState, ClusterSpec,
    Example, ExponentialMovingAverage, Feature, FeatureList, FeatureLists, Features, FloatList,
    GradientDescentOptimizer, Int64List, MomentumOptimizer, Optimizer, RMSPropOptimizer, Saver, SaverDef,
    SequenceExample, Server, ServerDef, assert_global_step, assign_moving_average, checkpoint_exists, cosine_decay,
    create_global_step, experimental, exponential_decay, get_checkpoint_state, get_global_step,
    get_or_create_global_step, global_step, inverse_time_decay, latest_checkpoint, list_variables, load_checkpoint,
    load_variable, natural_exp_decay, piecewise_constant, piecewise_constant_decay, polynomial_decay,
    remove_checkpoint, summary_iterator, update_checkpoint_state, weighted_moving_average, write_graph
)
from inlay.training.checkpoint import CheckpointV1 as Checkpoint
__all__ = [
    "AdagradOptimizer", "AdamOptimizer", "BytesList", "Checkpoint", "CheckpointManager", "CheckpointOptions",
    "CheckpointState", "ClusterSpec", "Example", "ExponentialMovingAverage", "Feature", "FeatureList", "FeatureLists",
    "Features", "FloatList", "GradientDescentOptimizer", "Int64List", "MomentumOptimizer", "Optimizer",
    "RMSPropOptimizer", "Saver", "SaverDef", "SequenceExample", "Server", "ServerDef", "assert_global_step",
    "assign_moving_average", "checkpoint_exists", "cosine_decay", "create_global_step", "experimental",
    "exponential_decay", "get_checkpoint_state", "get_global_step", "get_or_create_global_step", "global_step",
    "inverse_time_decay", "latest_checkpoint", "list_variables", "load_checkpoint", "load_variable",
    "natural_exp_decay", "piecewise_constant", "piecewise_constant_decay", "polynomial_decay", "remove_checkpoint",
    "summary_iterator", "update_checkpoint_state", "weighted_moving_average", "write_graph"
]
