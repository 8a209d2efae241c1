"""What stands for a personal value afterwards: surrogates, moved dates, the vault that keeps them."""
