"""Programs written for TensorFlow as they are, the command line, the error catalogue."""
