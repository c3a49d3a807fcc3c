"""`tf.initializers`: what makes the first values of variables."""

from inlay.variables.initializers import Constant as Constant
from inlay.variables.initializers import GlorotNormal as GlorotNormal
from inlay.variables.initializers import GlorotUniform as GlorotUniform
from inlay.variables.initializers import HeNormal as HeNormal
from inlay.variables.initializers import HeUniform as HeUniform
from inlay.variables.initializers import Identity as Identity
from inlay.variables.initializers import Initializer as Initializer
from inlay.variables.initializers import LecunNormal as LecunNormal
from inlay.variables.initializers import LecunUniform as LecunUniform
from inlay.variables.initializers import Ones as Ones
from inlay.variables.initializers import Orthogonal as Orthogonal
from inlay.variables.initializers import RandomNormal as RandomNormal
from inlay.variables.initializers import RandomUniform as RandomUniform
from inlay.variables.initializers import TruncatedNormal as TruncatedNormal
from inlay.variables.initializers import VarianceScaling as VarianceScaling
from inlay.variables.initializers import Zeros as Zeros

constant, zeros, ones, identity, orthogonal = Constant, Zeros, Ones, Identity, Orthogonal
glorot_normal, glorot_uniform, he_normal, he_uniform = GlorotNormal, GlorotUniform, HeNormal, HeUniform
lecun_normal, lecun_uniform, variance_scaling = LecunNormal, LecunUniform, VarianceScaling
random_normal, random_uniform, truncated_normal = RandomNormal, RandomUniform, TruncatedNormal
