"""Labels: what an episode's outcomes say about it, by a written policy and by what plainly is meant without one."""
