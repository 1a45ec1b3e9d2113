"""Directives: rules of a bank that its answers must follow."""
