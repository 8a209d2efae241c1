"""Real recordings: backtests, and how much of their answers could be known."""
