"""`tf.experimental.dlpack`: tensors and arrays of other libraries without copies, on the host and on accelerators."""

from inlay.devices.dlpack import from_dlpack as from_dlpack
from inlay.devices.dlpack import to_dlpack as to_dlpack
