"""Support for programs of TensorFlow 1: queues, summaries, monitored sessions, layers, `contrib`."""
