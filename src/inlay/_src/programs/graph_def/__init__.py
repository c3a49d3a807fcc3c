"""Graphs as messages: what TensorFlow's readers and ours make of a `GraphDef`."""
