"""Benchmarks: `make bench` and `make soak`. results.md shows the latest figures, ledger.jsonl has all of them."""
