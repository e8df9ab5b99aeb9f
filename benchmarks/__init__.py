"""Benchmarks: each prints ratios against a peer that is measured in the same run."""
