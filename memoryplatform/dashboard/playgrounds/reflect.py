"""The reflect playground: an answer as a stream, under the bank's own disposition or under two others."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from banks.models import Bank
from memoryplatform.api.errors import handle_exception
from memoryplatform.api.serializers import check_input
from memoryplatform.api.v1.reflect import encode_reflect_event
from memoryplatform.api.v1.reflect_input import ReflectInput
from memoryplatform.dashboard.access import BankRequest, bank_page
from memoryplatform.dashboard.control_characters import show_in_event
from memoryplatform.dashboard.playgrounds.questions import suggest
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.account.usage import write_cost
from memoryplatform.operations.logged_llm import sum_cost
from memoryplatform.operations.reflect import open_reflection
from memoryplatform.server.event_stream import encode_event, stream_events
from providers.llm.protocol import Task
from providers.usage import Usage
from reflection.disposition import TRAITS, Profile, write_bias
from reflection.reflect.types import BOUNDS, Delta, Done, Event, Pause, ReflectQuery, ReflectResult

BIAS_STEPS = 20


class DispositionForm(forms.Form):
    """A disposition to try. A value that is missing or can't be read is the bank's own."""

    skepticism = forms.IntegerField(min_value=1, max_value=5)
    literalism = forms.IntegerField(min_value=1, max_value=5)
    empathy = forms.IntegerField(min_value=1, max_value=5)
    bias_strength = forms.FloatField(min_value=0, max_value=1)

    def build_profile(self, bank: Bank) -> Profile:
        self.is_valid()
        return replace(Profile.of(bank), **self.cleaned_data)


@bank_page(Right.WRITE)
@require_GET
def reflect_playground(request: BankRequest) -> HttpResponse:
    """The question and both dispositions stand in the URL. A script asks, so that opening a link costs nothing."""
    own = Profile.of(request.bank)
    other = replace(own, skepticism=6 - own.skepticism, empathy=6 - own.empathy, bias_strength=1.0)
    tried = [DispositionForm(request.GET, prefix=letter).build_profile(request.bank) for letter in ("a", "b")]
    suggested = suggest(request.bank)
    context = {
        "query": request.GET.get("query", "")[:2_000],
        "budget": budget if (budget := request.GET.get("budget")) in BOUNDS else "low",
        "budgets": list(BOUNDS),
        "compares": request.GET.get("compare") == "on",
        "sides": [("a", tried[0]), ("b", tried[1] if any(name.startswith("b-") for name in request.GET) else other)],
        "traits": {name: list(steps) for name, steps in TRAITS.items()},
        "biases": [write_bias(step / BIAS_STEPS) for step in range(BIAS_STEPS + 1)],
        "model": getattr(find_llm(request.access.tenant_id, Task.REFLECT), "model_id", ""),
    }
    return render(
        request,
        "dashboard/playgrounds/reflect.html",
        context | {"questions": suggested.for_reflect if context["model"] else suggested.without_model},
    )


@bank_page(Right.WRITE)
@require_POST
def stream_reflection(request: BankRequest) -> HttpResponse:
    """With `tries` the answer is under the given disposition, and forms no opinion: the agent does not hold it."""
    return open_stream(request, lambda: encode_answer(open_answer(request)))


def open_answer(request: BankRequest) -> Generator[Event, None, None]:
    given, tries = request.POST, "tries" in request.POST
    body = {
        "query": given.get("query", ""),
        "budget": given.get("budget", "low"),
        "form_opinions": "store" in given and not tries,
    }
    query: ReflectQuery = check_input(ReflectInput, body).reflect_query()
    if tries:
        query = replace(query, profile=DispositionForm(given).build_profile(request.bank))
    return open_reflection(request.access.to_bank(), request.bank.bank_id, query)


def encode_answer(events: Generator[Event, None, None]) -> Generator[bytes, None, None]:
    """With the prompt at the end."""
    stream = PageStream()
    try:
        for event in events:
            yield from stream.encode(event)
            if isinstance(event, Done):
                prompt = [{"role": one.role, "content": one.content} for one in event.result.trace.prompt]
                yield encode_event("prompt", {"messages": prompt})
    finally:
        events.close()


@dataclass
class PageStream:
    """The events of the API, and some that only the pages show: the end of the text, what the model read and cost."""

    has_text: bool = False

    def encode(self, event: Event) -> Iterator[bytes]:
        if isinstance(event, Pause):  # the model writes its notes, or opinions are compared
            yield encode_event("written", {}) if self.has_text else b""
            self.has_text = False
            return
        self.has_text = self.has_text or isinstance(event, Delta)
        yield encode_reflect_event(event, None)
        if isinstance(event, Done) and event.result.engine == "llm":
            yield encode_event("read", {"numbers": event.result.trace.read, "spent": describe_spent(event.result)})


def describe_spent(result: ReflectResult) -> dict[str, object]:
    """All calls of the language model. Those that compare opinions are no calls of the answer."""
    models = tuple(one for one in result.usage.models if one.service in {"llm", "own_llm"})
    spent = sum((Usage(one.input_tokens, one.output_tokens, one.calls, models=(one,)) for one in models), Usage())
    cost = sum_cost(spent)
    return {
        "tokens": spent.input_tokens + spent.output_tokens,
        "calls": spent.calls,
        "for_opinions": spent.calls - len(result.trace.calls),
        "cost": "" if cost is None else f"{write_cost(cost)} {settings.PRICE_CURRENCY}",
    }


def open_stream(request: HttpRequest, start: Callable[[], Generator[bytes, None, None]]) -> HttpResponse:
    """A stream of events. An error before the first event is JSON with its status, a later one is an event."""
    try:
        events = start()
    except Exception as error:  # noqa: BLE001  # the handler logs what is not expected
        refused = handle_exception(error, {"request": request})
        return JsonResponse(cast("dict[str, Any]", refused.data), status=refused.status_code)
    return cast("HttpResponse", stream_events(guard(request, events)))


def guard(request: HttpRequest, events: Generator[bytes, None, None]) -> Generator[bytes, None, None]:
    """Events for people: each shows its control characters."""
    try:
        for event in events:
            yield show_in_event(event)
    except Exception as error:  # noqa: BLE001  # as above
        yield show_in_event(encode_event("error", handle_exception(error, {"request": request}).data))
    finally:
        events.close()
