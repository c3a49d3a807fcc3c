"""What serves programs of TensorFlow 1: queues, summaries, monitored sessions, layers, `contrib`."""
