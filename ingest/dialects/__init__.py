"""What each client library's attributes mean: one small file a dialect, one table that lists them."""
