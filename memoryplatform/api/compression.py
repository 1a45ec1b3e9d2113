"""gzip for the JSON responses of the API, and for pages."""

from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

LEAST_BYTES = 1024  # a shorter response fits into one packet anyway
TYPES = ("application/json", "application/vnd.oai.openapi+json", "text/html")


class WholeGZipMiddleware(GZipMiddleware):
    """Django's gzip for whole responses only: a compressed stream would reach the client late.

    Against BREACH, Django masks the token of a form anew in each page, and its gzip adds bytes at random.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not isinstance(response, HttpResponse) or len(response.content) < LEAST_BYTES:
            return response
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        return super().process_response(request, response) if kind in TYPES else response
