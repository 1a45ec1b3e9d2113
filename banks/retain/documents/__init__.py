"""Retaining documents: what is new in them is read, what is gone from them goes."""
