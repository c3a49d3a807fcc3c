"""Which version this is, of ours and of TensorFlow's names."""

from __future__ import annotations

import inlay as tf
from inlay._src.programs.graph_def.exporting import PRODUCER


def test_our_number_is_told_in_every_place() -> None:
    assert tf.__version__ == tf.version.VERSION == tf.compat.v1.VERSION == tf.compat.v1.__version__
    assert tf.version.GIT_VERSION == f"v{tf.__version__}"
    assert tf.version.GRAPH_DEF_VERSION == PRODUCER >= tf.version.GRAPH_DEF_VERSION_MIN_CONSUMER


def test_a_program_of_tensorflow_is_told_tensorflows() -> None:
    with tf.experimental.as_tensorflow() as tensorflow:
        told = tensorflow.version.VERSION, tensorflow.__version__, tensorflow.compat.v1.__version__
    assert told == ("2.21.0",) * 3
    with tf.experimental.as_tensorflow(v1=True) as tensorflow:
        assert (tensorflow.__version__, tensorflow.VERSION) == ("1.15.5", "1.15.5")
