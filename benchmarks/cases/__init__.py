"""What is timed, one module per way of writing it. Each has `load()` and `CASES`, name to builder."""
