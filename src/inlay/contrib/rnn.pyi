"""`tf.contrib.rnn`: the cells of recurrent networks, and what runs them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.recurrent.cell import LayerRNNCell
from inlay._src.tf1.recurrent.running import static_bidirectional_rnn, static_rnn
from inlay.compat.v1.nn.rnn_cell import (
    BasicLSTMCell, BasicRNNCell, DeviceWrapper, DropoutWrapper, GRUCell, LSTMCell, LSTMStateTuple, MultiRNNCell,
    RNNCell, ResidualWrapper
)
__all__ = [
    "BasicLSTMCell", "BasicRNNCell", "DeviceWrapper", "DropoutWrapper", "GRUCell", "LSTMCell", "LSTMStateTuple",
    "LayerRNNCell", "MultiRNNCell", "RNNCell", "ResidualWrapper", "static_bidirectional_rnn", "static_rnn"
]
