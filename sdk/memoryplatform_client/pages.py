"""Lists that fetch each page when the iteration reaches it."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import httpx
from pydantic import BaseModel

from memoryplatform_client.calls import Call, fetch, read_object, validate
from memoryplatform_client.errors import UnreadableAnswer
from memoryplatform_client.plans import perform
from memoryplatform_client.senders import AsyncSender, SyncSender
from memoryplatform_client.wire import encode_query

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Page(Generic[T]):
    """`total` counts the rows of all pages; None where the service does not report it."""

    items: list[T]
    total: int | None
    offset: int
    next_cursor: str | None


@dataclass(frozen=True)
class Listing(Generic[T]):
    """The call for the first page, and the rule that leads from each page to the next."""

    first: Call[Page[T]]

    def following(self, page: Page[T]) -> Call[Page[T]] | None:
        """Continue by cursor where the page has one. A ranked list has none and continues by offset up to its total."""
        seen = page.offset + len(page.items)
        if page.next_cursor:
            return self._with(cursor=page.next_cursor)
        if page.items and page.total is not None and seen < page.total:
            return self._with(offset=seen)
        return None

    def _with(self, **place: str | int) -> Call[Page[T]]:
        kept = tuple(pair for pair in self.first.query if pair[0] not in {"cursor", "offset"})
        return replace(self.first, query=kept + encode_query(place))


def list_of(path: str, model: type[M], params: Any, *, rows: str = "items") -> Listing[M]:
    return Listing(fetch(path, page_reader(model, rows), params))


def page_reader(model: type[M], rows: str) -> Callable[[httpx.Response], Page[M]]:
    def read(response: httpx.Response) -> Page[M]:
        data = read_object(response)
        if not isinstance(data.get(rows), list):
            raise UnreadableAnswer(f"The answer has no {rows}.", response)
        items = [validate(model, row, response) for row in data[rows]]
        return Page(items, data.get("total"), data.get("offset", 0), data.get("next_cursor"))

    return read


class Pages(Generic[T]):
    def __init__(self, sender: SyncSender, listing: Listing[T]) -> None:
        self._sender = sender
        self._listing = listing

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items

    def pages(self) -> Iterator[Page[T]]:
        call: Call[Page[T]] | None = self._listing.first
        while call is not None:
            page = self._sender.run(perform(call, self._sender.retry))
            yield page
            call = self._listing.following(page)

    def first(self) -> Page[T]:
        return next(self.pages())


class AsyncPages(Generic[T]):
    def __init__(self, sender: AsyncSender, listing: Listing[T]) -> None:
        self._sender = sender
        self._listing = listing

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def pages(self) -> AsyncIterator[Page[T]]:
        call: Call[Page[T]] | None = self._listing.first
        while call is not None:
            page = await self._sender.run(perform(call, self._sender.retry))
            yield page
            call = self._listing.following(page)

    async def first(self) -> Page[T]:
        return await self._sender.run(perform(self._listing.first, self._sender.retry))
