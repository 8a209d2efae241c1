"""Object storage below the homes: its places, single objects under conditions, and who may write."""
