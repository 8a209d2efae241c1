"""What recorded attempts show of an app's tools: kinds, results, values that an episode lets anybody know."""
