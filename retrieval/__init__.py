"""TEMPR recall: the right memories for a query, within a token budget."""
