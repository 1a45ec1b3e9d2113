"""The built-in engine: retain and reflect without a language model, behind the protocols of the apps below."""
