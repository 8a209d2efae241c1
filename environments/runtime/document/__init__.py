"""The world file: its parts as types, and the one codec that reads and writes them."""
