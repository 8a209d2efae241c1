"""Backends that live on, and tools that change."""
