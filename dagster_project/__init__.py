"""The only place that knows Dagster, the lake and the command line."""
