"""Variables, where they are kept, and how they get their first values."""

from inlay._src.ops.variables.creating import created_since as created_since
from inlay._src.ops.variables.spec import VariableSpec as VariableSpec
from inlay._src.ops.variables.variable import Variable as Variable
