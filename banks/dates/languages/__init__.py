"""The common time expressions of other languages: a table of words each, one grammar for all."""
