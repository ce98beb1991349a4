"""Responses of searches, read as rankings."""
