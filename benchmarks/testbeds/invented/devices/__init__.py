"""Invented apps of devices and services: a campus, a phone, a feed, mobile contracts, a studio."""
