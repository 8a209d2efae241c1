"""Apps of Meta's Agents Research Environments."""
