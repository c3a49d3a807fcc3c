"""`tf.distributions`: probability distributions of 1.x."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.distributions",
    {
        "tf1.distributions.classes": "Bernoulli Categorical",
        "tf1.distributions.distribution":
        "Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED ReparameterizationType",
        "tf1.distributions.divergence": "RegisterKL kl_divergence",
        "tf1.distributions.interval": "Beta Uniform",
        "tf1.distributions.positive": "Exponential Gamma",
        "tf1.distributions.real_line": "Laplace Normal StudentT",
        "tf1.distributions.vectors": "Dirichlet DirichletMultinomial Multinomial",
    },
)
