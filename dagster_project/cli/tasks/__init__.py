"""Commands on task sets: export, rollouts, their grades, attacks, review."""
