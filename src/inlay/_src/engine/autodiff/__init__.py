"""Automatic differentiation: rules, accumulation, tapes, graph gradients, Jacobians."""
