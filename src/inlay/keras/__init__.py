"""`tf.keras`: Keras 3 on inlay. The name `inlay.keras` stands for Keras's own package for TensorFlow once it is loaded."""

from inlay._src.tools.unmodified.keras_backend import take_place

take_place(__name__)
