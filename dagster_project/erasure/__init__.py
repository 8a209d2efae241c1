"""Erasure: what a home keeps of some users or episodes is removed, and a search of everything that is left proves it."""
