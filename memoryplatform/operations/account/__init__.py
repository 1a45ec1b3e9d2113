"""Use-cases of a tenant's people and keys. The API routes under `/v1/account/` and the pages call them."""
