"""One definition of a method for both clients.

A resource's methods build values: a call, a plan, a list or a stream. A resource of `MemoryClient` carries the value
out and returns its result. A resource of `AsyncMemoryClient` returns an awaitable of the same result.
"""

import functools
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from memoryplatform_client.calls import Call
from memoryplatform_client.events import ReflectEvent
from memoryplatform_client.pages import AsyncPages, Listing, Pages
from memoryplatform_client.plans import Plan, perform
from memoryplatform_client.senders import AsyncSender, Sender, SyncSender

P = ParamSpec("P")
T = TypeVar("T")
S_co = TypeVar("S_co", bound=Sender, covariant=True)


class Resource(Generic[S_co]):
    def __init__(self, sender: S_co) -> None:
        self._sender: S_co = sender


Sync = Resource[SyncSender]
Async = Resource[AsyncSender]


class route(Generic[P, T]):  # noqa: N801  # a decorator
    """For a method that builds a call."""

    def __init__(self, build: Callable[Concatenate[Any, P], Call[T]]) -> None:
        self._build = build

    @overload
    def __get__(self, resource: None, owner: type) -> Callable[Concatenate[Any, P], Call[T]]: ...
    @overload
    def __get__(self, resource: Sync, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, resource: Async, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, resource: Any, owner: type) -> Any:
        return bind(self._build, resource, lambda sender, call: sender.run(perform(call, sender.retry)))


class planned(Generic[P, T]):  # noqa: N801  # a decorator
    """For a method that is a plan: several calls, with pauses between them."""

    def __init__(self, build: Callable[Concatenate[Any, P], Plan[T]]) -> None:
        self._build = build

    @overload
    def __get__(self, resource: None, owner: type) -> Callable[Concatenate[Any, P], Plan[T]]: ...
    @overload
    def __get__(self, resource: Sync, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, resource: Async, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, resource: Any, owner: type) -> Any:
        return bind(self._build, resource, lambda sender, plan: sender.run(plan))


class listed(Generic[P, T]):  # noqa: N801  # a decorator
    """For a method that lists. No request is sent before the iteration begins."""

    def __init__(self, build: Callable[Concatenate[Any, P], Listing[T]]) -> None:
        self._build = build

    @overload
    def __get__(self, resource: None, owner: type) -> Callable[Concatenate[Any, P], Listing[T]]: ...
    @overload
    def __get__(self, resource: Sync, owner: type) -> Callable[P, Pages[T]]: ...
    @overload
    def __get__(self, resource: Async, owner: type) -> Callable[P, AsyncPages[T]]: ...
    def __get__(self, resource: Any, owner: type) -> Any:
        return bind(self._build, resource, open_pages)


class streamed(Generic[P]):  # noqa: N801  # a decorator
    """For a method whose response is a stream of events."""

    def __init__(self, build: Callable[Concatenate[Any, P], Call[None]]) -> None:
        self._build = build

    @overload
    def __get__(self, resource: None, owner: type) -> Callable[Concatenate[Any, P], Call[None]]: ...
    @overload
    def __get__(self, resource: Sync, owner: type) -> Callable[P, Generator[ReflectEvent, None, None]]: ...
    @overload
    def __get__(self, resource: Async, owner: type) -> Callable[P, AsyncGenerator[ReflectEvent, None]]: ...
    def __get__(self, resource: Any, owner: type) -> Any:
        return bind(self._build, resource, lambda sender, call: sender.stream(call))


class line_by_line(Generic[P]):  # noqa: N801  # a decorator
    """For a method whose response is a file of lines, each yielded as it arrives."""

    def __init__(self, build: Callable[Concatenate[Any, P], Call[None]]) -> None:
        self._build = build

    @overload
    def __get__(self, resource: None, owner: type) -> Callable[Concatenate[Any, P], Call[None]]: ...
    @overload
    def __get__(self, resource: Sync, owner: type) -> Callable[P, Generator[bytes, None, None]]: ...
    @overload
    def __get__(self, resource: Async, owner: type) -> Callable[P, AsyncGenerator[bytes, None]]: ...
    def __get__(self, resource: Any, owner: type) -> Any:
        return bind(self._build, resource, lambda sender, call: sender.read_lines(call))


def open_pages(sender: SyncSender | AsyncSender, listing: Listing[T]) -> Pages[T] | AsyncPages[T]:
    return Pages(sender, listing) if isinstance(sender, SyncSender) else AsyncPages(sender, listing)


def bind(build: Callable[..., Any], resource: Any, send: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Access through the class returns the undecorated function, so that `help` shows its signature."""
    if resource is None:
        return build

    @functools.wraps(build)
    def method(*args: Any, **kwargs: Any) -> Any:
        return send(resource._sender, build(resource, *args, **kwargs))  # noqa: SLF001  # its own decorator

    return method
