"""mem0's routes and shapes under `/v1`, `/v2` and `/v3`: adapters that read its bodies and call our use-cases."""
