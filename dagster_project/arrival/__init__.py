"""From files and the write-ahead log to episodes and outcomes in the private lake."""
