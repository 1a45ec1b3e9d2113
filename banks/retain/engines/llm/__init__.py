"""The engine that asks an LLM. A prompt, its response schema and its parser live together in one module."""
