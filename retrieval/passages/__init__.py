"""Of a long text the passage that matters for a query."""
