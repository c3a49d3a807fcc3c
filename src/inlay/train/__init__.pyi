"""`tf.train`: checkpoints, optimizers and learning rates."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.cluster.server import Server
from inlay.cluster.spec import ClusterSpec, ServerDef
from inlay.graph_def.writing import write_graph
from inlay.protos.example import (
    BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List, SequenceExample
)
from inlay.protos.saved_model import SaverDef
from inlay.summaries.reading import summary_iterator
from inlay.train import experimental
from inlay.training.checkpoint import Checkpoint
from inlay.training.checkpoint_options import CheckpointOptions
from inlay.training.checkpoint_state import (
    CheckpointState, checkpoint_exists, get_checkpoint_state, latest_checkpoint, list_variables, load_checkpoint,
    load_variable, remove_checkpoint, update_checkpoint_state
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
