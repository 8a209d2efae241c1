"""What ingest does in a second and under faults."""
