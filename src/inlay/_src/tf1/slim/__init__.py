"""The parts of `tf.contrib.slim` that stand on its layers: networks, losses in their older order, training."""
