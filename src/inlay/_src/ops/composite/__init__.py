"""Values made of several tensors. Loading any of its modules makes ops accept ragged tensors."""

from inlay._src.ops.composite import ragged_rules as ragged_rules
from inlay._src.ops.composite import structured_rules as structured_rules
