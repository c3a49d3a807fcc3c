"""Queues of 1.x, their runners, what feeds them and what reads files from them. `tf.queue` and `tf.train` name them."""
