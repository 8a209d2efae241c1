"""The build: what is stale, in which order, in which processes, within which budgets, and what faults left out."""
