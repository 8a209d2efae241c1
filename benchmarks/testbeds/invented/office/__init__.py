"""Invented apps of an office: a calendar, leave, customers, sheets, tickets."""
