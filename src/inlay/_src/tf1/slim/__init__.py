"""The parts of `tf.contrib.slim` that are on its layers: networks, losses in their older order, training."""
