"""Invented apps of an office: a calendar, leave, claims, customers, sheets, tickets."""
