"""Invented apps of services: a campus, mobile contracts."""
