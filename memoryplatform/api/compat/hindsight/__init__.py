"""Hindsight's routes and shapes under `/v1/default/`: adapters that read its bodies and call our use-cases."""
