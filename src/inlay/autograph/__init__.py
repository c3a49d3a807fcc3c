"""Python control flow on tensors as graph control flow: what `tf.function` does to the functions it traces."""

from inlay.autograph import experimental as experimental
from inlay.conversion.public import set_verbosity as set_verbosity
from inlay.conversion.public import to_code as to_code
from inlay.conversion.public import to_graph as to_graph
from inlay.conversion.public import trace as trace
