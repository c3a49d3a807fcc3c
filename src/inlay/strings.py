"""`tf.strings`: tensors of bytes."""

from inlay.composite.text import bytes_split as bytes_split
from inlay.composite.text import split as split
from inlay.composite.text import unicode_decode as unicode_decode
from inlay.composite.text import unicode_split as unicode_split
from inlay.ops.printing import string_format as format  # noqa: F401
from inlay.ops.strings import as_string as as_string
from inlay.ops.strings import join as join
from inlay.ops.strings import length as length
from inlay.ops.strings import lower as lower
from inlay.ops.strings import reduce_join as reduce_join
from inlay.ops.strings import regex_full_match as regex_full_match
from inlay.ops.strings import regex_replace as regex_replace
from inlay.ops.strings import strip as strip
from inlay.ops.strings import substr as substr
from inlay.ops.strings import to_number as to_number
from inlay.ops.strings import unicode_encode as unicode_encode
from inlay.ops.strings import upper as upper
