"""Invented apps of an office: calendars, leave, claims, customers, drafts, files, plans, sheets, tickets."""
