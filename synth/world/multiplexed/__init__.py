"""Tools that are several: which argument says what is meant."""
