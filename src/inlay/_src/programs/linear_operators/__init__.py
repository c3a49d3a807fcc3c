"""`tf.linalg.LinearOperator` and its family. Loading any of its modules loads the rules of all kinds of operators."""

from inlay._src.programs.linear_operators import circulant as circulant
from inlay._src.programs.linear_operators import kronecker as kronecker
from inlay._src.programs.linear_operators import low_rank as low_rank
from inlay._src.programs.linear_operators import structured as structured
