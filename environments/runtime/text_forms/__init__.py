"""Records that tools write as text: blocks of lines, YAML, XML."""
