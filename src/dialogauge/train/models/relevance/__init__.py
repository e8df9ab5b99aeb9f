"""Relevance: which response really came next."""
