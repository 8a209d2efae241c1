"""What stands between a caller and the tools, taken off calls and put back on results."""
