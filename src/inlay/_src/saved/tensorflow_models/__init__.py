"""TensorFlow's saved models: the object graph of 2.x, the graphs of 1.x, and the structures in them."""
