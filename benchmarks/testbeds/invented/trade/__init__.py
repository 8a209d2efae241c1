"""Invented apps of trade: bills, a depot, a ledger, stays, a stock exchange."""
