"""From a graph to values and gradients: plans, the ways to run them, automatic differentiation."""
