"""Telemetry in, episodes out: write-ahead log, receiver, decoders, dialects, assembly."""
