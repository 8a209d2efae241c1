"""What results are: classes, tables, keys, nested records, counters."""
