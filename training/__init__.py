"""The pipeline that trains the service's own embedder and reranker. The server never imports it."""
