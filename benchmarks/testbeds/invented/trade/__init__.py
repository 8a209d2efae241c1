"""Invented apps of trade: bills, a depot, a ledger, stays."""
