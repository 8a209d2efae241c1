"""OTLP bodies, protobuf and JSON: bounded before they are parsed, then rows and records."""
