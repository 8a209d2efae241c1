"""Where a value comes from that no record names: each learns its source from resolved attempts."""
