"""`tf.initializers`: what makes the first values of variables."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "initializers",
    {
        "ops.variables.initializers":
        "Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity Initializer LecunNormal LecunUniform "
        "Ones Orthogonal RandomNormal RandomUniform TruncatedNormal VarianceScaling Zeros constant "
        "glorot_normal glorot_uniform he_normal he_uniform identity lecun_normal lecun_uniform ones "
        "orthogonal random_normal random_uniform truncated_normal variance_scaling zeros",
    },
)
