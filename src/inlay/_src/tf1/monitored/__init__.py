"""Sessions that run with hooks, save and recover, by TensorFlow 1's names. `tf.train` names them."""
