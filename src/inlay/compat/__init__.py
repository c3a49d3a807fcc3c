"""`tf.compat`: TensorFlow's 1.x and 2.x namespaces, and text helpers."""

from inlay.compat.text import as_bytes as as_bytes
from inlay.compat.text import as_str as as_str
from inlay.compat.text import as_str_any as as_str_any
from inlay.compat.text import as_text as as_text
