"""The review page over HTTP: its guard, forms, addresses, and what templates are given."""
