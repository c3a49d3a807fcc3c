"""`tf.keras`: Keras 3 on inlay. Once it is loaded, the name stands for Keras's own package for TensorFlow."""

from inlay._src.tools.unmodified.keras_backend import take_place

take_place(__name__)
