"""Verification: attacks on candidates before anything is exported."""
