"""`tf.train.experimental`."""

from inlay.training.trackable import PythonState as PythonState
