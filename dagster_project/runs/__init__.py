"""Rollouts for people: a page and a list in the terminal that say why each one earned what it earned."""
