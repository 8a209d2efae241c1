"""The tour: what a reviewer reads on the page the first time."""
