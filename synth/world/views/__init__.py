"""What stands between callers and tools, found: wrappers are taken off before anything is learnt."""
