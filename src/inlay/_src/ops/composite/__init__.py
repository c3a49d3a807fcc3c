"""Values made of several tensors. Whichever module is loaded first, ops answer for ragged tensors."""

from inlay.composite import ragged_rules as ragged_rules
from inlay.composite import structured_rules as structured_rules
