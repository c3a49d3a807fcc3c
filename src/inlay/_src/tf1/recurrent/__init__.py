"""Recurrent networks of 1.x: cells (`tf.nn.rnn_cell`) and what runs them over sequences."""
