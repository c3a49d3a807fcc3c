"""Summaries: event files that TensorBoard reads, and what writes into them."""
