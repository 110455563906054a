"""Benchmarks: what Recense is measured by, beside named baselines of the same run.

Law: a benchmark asserts that its answers are right before it reports a figure, and what it asserted
stands in its result. Material of other people is read where it lies and never kept.
"""
