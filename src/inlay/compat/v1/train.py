"""`tf.compat.v1.train`: `tf.train` with the `Checkpoint` of 1.x, whose second argument is the session."""

from inlay.train import *  # noqa: F403
from inlay.training.checkpoint import CheckpointV1 as Checkpoint  # noqa: F401
