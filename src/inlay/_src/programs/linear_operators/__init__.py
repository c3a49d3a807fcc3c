"""`tf.linalg.LinearOperator` and its family. Loading any of its modules loads the rules of all kinds of operators."""

from inlay._src.programs.linear_operators import composed as composed
