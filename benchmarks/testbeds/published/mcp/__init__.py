"""Published servers of the Model Context Protocol."""
