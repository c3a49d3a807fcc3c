"""`tf.contrib.rnn`: the cells of recurrent networks, and what runs them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.rnn",
    {
        "tf1.recurrent.cell": "LayerRNNCell",
        "tf1.recurrent.running": "static_bidirectional_rnn static_rnn",
    },
    continues="compat.v1.nn.rnn_cell",
)
