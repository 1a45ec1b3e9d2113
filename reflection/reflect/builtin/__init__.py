"""The answer without a model: the sentences of memory that answer, chosen, dated and cited."""
