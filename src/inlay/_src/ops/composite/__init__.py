"""Values made of several tensors. Whichever module is loaded first, ops answer for ragged tensors."""

from inlay._src.ops.composite import ragged_rules as ragged_rules
from inlay._src.ops.composite import structured_rules as structured_rules
