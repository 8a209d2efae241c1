"""What more data, another day and more cores cost."""
