"""Names as letters and words: how they are stored, and whether two of them can be one's."""
