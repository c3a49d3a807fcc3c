"""`tf.contrib.framework`."""

from inlay.types import nest as nest
