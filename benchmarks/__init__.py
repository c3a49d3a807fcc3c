"""Benchmarks: `make bench` and `make soak`. README.md shows the latest figures; ledger.jsonl has all of them."""
