"""How hard tasks are: pass rates in production and of policies, and estimates."""
