"""Records of conversations in layouts that no format describes: found by their structure, read by names in common use."""
