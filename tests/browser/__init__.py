"""A package, so that the fixtures of scope "package" end with its last test."""
