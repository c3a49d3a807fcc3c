"""AutoGraph: Python control flow on tensors as graph control flow.

The source transformation is `diastatic-malt`'s (`transpile`, loaded at the first conversion). The functions that the
transformed code calls are ours (`calls` for functions, `control` for statements).
"""

from inlay._src.programs.conversion.calls import convert as convert
from inlay._src.programs.conversion.calls import do_not_convert as do_not_convert
