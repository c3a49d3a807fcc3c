"""`tf.compat.v1.train.queue_runner`: threads that fill queues."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.queues.queue_runner import QueueRunner, add_queue_runner, start_queue_runners
__all__ = [
    "QueueRunner", "add_queue_runner", "start_queue_runners"
]
