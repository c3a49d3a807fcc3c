"""`tf.nn.rnn_cell`: the cells of recurrent networks."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.nn.rnn_cell",
    {
        "tf1.recurrent.cell": "LSTMStateTuple RNNCell",
        "tf1.recurrent.cells": "BasicLSTMCell BasicRNNCell GRUCell LSTMCell",
        "tf1.recurrent.wrappers": "DeviceWrapper DropoutWrapper MultiRNNCell ResidualWrapper",
    },
)
