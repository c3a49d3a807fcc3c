"""`tf.nn.rnn_cell`: the cells of recurrent networks."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.recurrent.cell import LSTMStateTuple, RNNCell
from inlay._src.tf1.recurrent.cells import BasicLSTMCell, BasicRNNCell, GRUCell, LSTMCell
from inlay._src.tf1.recurrent.wrappers import DeviceWrapper, DropoutWrapper, MultiRNNCell, ResidualWrapper
__all__ = [
    "BasicLSTMCell", "BasicRNNCell", "DeviceWrapper", "DropoutWrapper", "GRUCell", "LSTMCell", "LSTMStateTuple",
    "MultiRNNCell", "RNNCell", "ResidualWrapper"
]
