"""`tf.train.experimental`."""

from inlay.train.trackable import PythonState as PythonState
