"""`tf.experimental`."""

from inlay.experimental import dlpack as dlpack
