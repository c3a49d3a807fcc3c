"""Probability distributions of 1.x, `tf.distributions`, composed of public ops: gradients, graphs, functions and saved
models are those of the ops. docs/adr/0023 says why."""
