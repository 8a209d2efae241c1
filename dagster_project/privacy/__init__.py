"""The gate between the private and the clean side, the search for leaks, and what is kept of each look."""
