"""The inverted index behind BM25: lexemes, packed postings, and the exact best texts for a query."""
