"""`tf.distributions`: probability distributions of 1.x."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.distributions",
    {
        "distributions.classes": "Bernoulli Categorical",
        "distributions.distribution":
        "Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED ReparameterizationType",
        "distributions.divergence": "RegisterKL kl_divergence",
        "distributions.interval": "Beta Uniform",
        "distributions.positive": "Exponential Gamma",
        "distributions.real_line": "Laplace Normal StudentT",
        "distributions.vectors": "Dirichlet DirichletMultinomial Multinomial",
    },
)
