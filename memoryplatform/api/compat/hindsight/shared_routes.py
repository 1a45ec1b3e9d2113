"""Our own routes under Hindsight's prefix. Where both have an address, its methods mean what they mean to it."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path
from django.views import View


def share_routes(theirs: Iterable[URLPattern], ours: Iterable[URLPattern]) -> list[URLPattern]:
    """Hindsight's come first, each with those methods of ours that it has not."""
    by_address = {str(pattern.pattern): pattern for pattern in ours}
    known = list(theirs)
    both = [join(pattern, by_address.get(str(pattern.pattern))) for pattern in known]
    taken = {str(pattern.pattern) for pattern in known}
    return [*both, *(pattern for address, pattern in by_address.items() if address not in taken)]


def join(their: URLPattern, own: URLPattern | None) -> URLPattern:
    if own is None or not list_methods(own) - list_methods(their):
        return their
    methods, their_view, own_view = list_methods(own) - list_methods(their), their.callback, own.callback

    def view(request: HttpRequest, **names: Any) -> HttpResponseBase:
        answer: HttpResponseBase = (own_view if request.method in methods else their_view)(request, **names)
        return answer

    view.csrf_exempt = True  # type: ignore[attr-defined]  # as both are: what a key allows, no cookie does
    view.view_class = their_view.view_class  # type: ignore[attr-defined]  # as Django's own views have it
    return path(str(their.pattern), view)


def list_methods(pattern: URLPattern) -> set[str]:
    view: type[View] = pattern.callback.view_class  # type: ignore[attr-defined]  # Django's own views have it
    return {name.upper() for name in view.http_method_names if name != "options" and hasattr(view, name)}
