"""Apps and recordings that tests and benchmarks are run on."""
