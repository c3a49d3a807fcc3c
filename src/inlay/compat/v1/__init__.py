"""`tf.compat.v1`: the 1.x names."""

from inlay import *  # noqa: F403
