"""Variables, where they are kept, and how they get their first values."""

from inlay.variables.creating import created_since as created_since
from inlay.variables.spec import VariableSpec as VariableSpec
from inlay.variables.variable import Variable as Variable
