"""`tf.compat.v2`: the 2.x names."""

from inlay.face import *  # noqa: F403
