"""Clusters: failure records in, groups that fail in the same way out, with names and ids that stay."""
