"""Layers of 1.x: `tf.layers`, and `tf.contrib.layers`, `tf.contrib.framework` and `tf.contrib.slim` on top of them."""
