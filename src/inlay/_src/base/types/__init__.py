"""Dtypes, shapes, specs and nested structures: pure values."""
