"""`tf.compat.v2`: the 2.x names."""

from inlay import *  # noqa: F403
