"""Two engines behind one protocol: an LLM, and a built-in one that needs none."""
