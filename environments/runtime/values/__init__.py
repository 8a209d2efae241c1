"""Normal forms, canonical JSON, facts, and records written as text."""
