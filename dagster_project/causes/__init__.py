"""Causes of failures in a home: what people say of them, and what a model answers where one is configured."""
