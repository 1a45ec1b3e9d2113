"""Names as letters and words: their stored forms, and the comparison of two names."""
