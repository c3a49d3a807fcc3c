"""A checker of functions: what a function does, against what its declaration promises."""
