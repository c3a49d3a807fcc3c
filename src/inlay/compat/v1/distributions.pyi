"""`tf.distributions`: probability distributions of 1.x."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.distributions.classes import Bernoulli, Categorical
from inlay._src.tf1.distributions.distribution import (
    Distribution, FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, ReparameterizationType
)
from inlay._src.tf1.distributions.divergence import RegisterKL, kl_divergence
from inlay._src.tf1.distributions.interval import Beta, Uniform
from inlay._src.tf1.distributions.positive import Exponential, Gamma
from inlay._src.tf1.distributions.real_line import Laplace, Normal, StudentT
from inlay._src.tf1.distributions.vectors import Dirichlet, DirichletMultinomial, Multinomial
__all__ = [
    "Bernoulli", "Beta", "Categorical", "Dirichlet", "DirichletMultinomial", "Distribution", "Exponential",
    "FULLY_REPARAMETERIZED", "Gamma", "Laplace", "Multinomial", "NOT_REPARAMETERIZED", "Normal", "RegisterKL",
    "ReparameterizationType", "StudentT", "Uniform", "kl_divergence"
]
