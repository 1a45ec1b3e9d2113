"""A request id in the logs, errors and answer of each request; one log line and one count at its end."""

import re
import time
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse
from django.urls import resolve

from memoryplatform.observability.metrics import observe_request
from providers.tracing import traced
from tenants.identifiers import uuid7

log = structlog.get_logger("memoryplatform.request")
SAFE_ID = re.compile(r"[0-9A-Za-z._-]{1,64}")
PROBES = {"/health", "/health/live", "/health/ready", "/metrics"}


class RequestContextMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if SAFE_ID.fullmatch(given) else str(uuid7())
        request.request_id = request_id  # type: ignore[attr-defined]  # ours, read by the API's errors and audit
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        with traced(f"{request.method} request", carrier=request.headers, request_id=request_id) as span:
            response = self.get_response(request)
            if span is not None:
                span.update_name(f"{request.method} {find_route(request)}")
                span.set_attribute("http.response.status_code", response.status_code)
        record_request(request, response, time.perf_counter() - started)
        response.headers["X-Request-ID"] = request_id
        return response


class ProbeMiddleware:
    """Answers probes for any host and scheme: they come from inside, by address and over plain HTTP."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info not in PROBES:
            return self.get_response(request)
        request.resolver_match = resolve(request.path_info)
        response: HttpResponse = request.resolver_match.func(request)
        return response


def find_route(request: HttpRequest) -> str:
    """The route and not the path, which holds the caller's own names."""
    match = request.resolver_match
    return f"/{match.route}" if match else "unknown"


def record_request(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    route = find_route(request)
    observe_request(request.method or "", route, response.status_code, seconds)
    if request.path_info not in PROBES:
        log.info(
            "request", method=request.method, route=route, status=response.status_code, ms=round(seconds * 1000, 1)
        )
