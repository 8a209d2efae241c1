"""The replay runtime, verification, task sets, exports and rollouts."""
