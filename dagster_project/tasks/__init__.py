"""From clean episodes to verified tasks, task sets and exports."""
