"""`tf.compat.v1.train.queue_runner`: threads that fill queues."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.train.queue_runner",
    {
        "tf1.queues.queue_runner": "QueueRunner add_queue_runner start_queue_runners",
    },
)
