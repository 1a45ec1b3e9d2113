"""Mental models: questions that are kept together with the answer that memory gave last."""
