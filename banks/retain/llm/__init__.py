"""The engine that asks a language model. A prompt, its schema and its parser are together in one module."""
