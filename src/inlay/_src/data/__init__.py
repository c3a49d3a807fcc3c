"""Datasets: chains of nodes that make elements one after the other. `tf.data` is written from their exports."""
