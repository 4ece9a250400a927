"""Broken lakes: how they are made, what is asked of them, and what an answer may be."""
