"""`tf.distributions`: probability distributions of 1.x."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.distributions.classes import Bernoulli, Categorical
from inlay.distributions.distribution import (
    Distribution, FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, ReparameterizationType
)
from inlay.distributions.divergence import RegisterKL, kl_divergence
from inlay.distributions.interval import Beta, Uniform
from inlay.distributions.positive import Exponential, Gamma
from inlay.distributions.real_line import Laplace, Normal, StudentT
from inlay.distributions.vectors import Dirichlet, DirichletMultinomial, Multinomial
__all__ = [
    "Bernoulli", "Beta", "Categorical", "Dirichlet", "DirichletMultinomial", "Distribution", "Exponential",
    "FULLY_REPARAMETERIZED", "Gamma", "Laplace", "Multinomial", "NOT_REPARAMETERIZED", "Normal", "RegisterKL",
    "ReparameterizationType", "StudentT", "Uniform", "kl_divergence"
]
