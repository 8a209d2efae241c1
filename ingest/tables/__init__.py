"""Tables of conversations: CSV, Parquet and SQLite as lines of JSON, each a row or a whole conversation."""
