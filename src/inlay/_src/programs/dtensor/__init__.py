"""`tf.experimental.dtensor`: tensors with a layout over a mesh of the CPU's logical devices."""

from inlay._src.programs.dtensor import rules as rules
