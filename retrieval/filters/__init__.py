"""The units that a recall may return: the caller's conditions, as values and as SQL."""
