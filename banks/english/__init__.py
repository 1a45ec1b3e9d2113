"""English as retain and reflection read it without a model: its parser, word forms and spellings."""
