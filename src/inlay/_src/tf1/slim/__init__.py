"""The parts of `tf.contrib.slim` that are built on its layers: networks, losses in their older order, training."""
