"""Graphs as messages: writing and reading `GraphDef`s, in TensorFlow's form."""
