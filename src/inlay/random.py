"""`tf.random`: random numbers, and the seeds they follow from."""

from inlay.ops.generator import Generator as Generator
from inlay.ops.generator import get_global_generator as get_global_generator
from inlay.ops.generator import set_global_generator as set_global_generator
from inlay.ops.random import categorical as categorical
from inlay.ops.random import normal as normal
from inlay.ops.random import shuffle as shuffle
from inlay.ops.random import truncated_normal as truncated_normal
from inlay.ops.random import uniform as uniform
from inlay.ops.seeds import set_seed as set_seed
from inlay.ops.stateless_random import stateless_categorical as stateless_categorical
from inlay.ops.stateless_random import stateless_normal as stateless_normal
from inlay.ops.stateless_random import stateless_truncated_normal as stateless_truncated_normal
from inlay.ops.stateless_random import stateless_uniform as stateless_uniform
