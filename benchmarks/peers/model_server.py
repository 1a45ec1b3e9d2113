"""The embedder and the reranker of this service for another server, which is then compared with the same models:

    DJANGO_SETTINGS_MODULE=memoryplatform.settings.embedded python -m benchmarks.peers.model_server 8090

It answers as Text Embeddings Inference does: `/embed` (inputs), `/rerank` (query, texts) and `/info`. The caller puts
the prefix of a question before it.
"""

import sys

import django
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from providers.registry import get_embedder, get_reranker


async def embed(request: Request) -> JSONResponse:
    texts = (await request.json())["inputs"]
    batch = await run_in_threadpool(get_embedder().embed_documents, [texts] if isinstance(texts, str) else texts)
    return JSONResponse([list(map(float, vector)) for vector in batch.vectors])


async def rerank(request: Request) -> JSONResponse:
    given = await request.json()
    ranking = await run_in_threadpool(get_reranker().rerank, given["query"], given["texts"])
    ranked = [{"index": one.index, "score": one.score} for one in ranking]
    return JSONResponse(ranked)


async def info(_request: Request) -> JSONResponse:
    return JSONResponse({"model_id": get_embedder().model_id})


def main(port: int) -> None:
    django.setup()
    posts = [Route(f"/{name}", answer, methods=["POST"]) for name, answer in (("embed", embed), ("rerank", rerank))]
    routes = [*posts, Route("/info", info)]
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
