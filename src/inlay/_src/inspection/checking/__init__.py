"""A checker of functions, which compares the behavior of a function with its declaration."""
