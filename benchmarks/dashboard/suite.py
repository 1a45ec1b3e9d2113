"""`benchmark dashboard`: needs no data. Opens every page of a large bank many times, each time another address."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.cache import cache
from django.test import Client

from banks.enums import Network
from benchmarks.dashboard.bank import PEOPLE, SEED, THINGS, YEARS, LargeBank, fill_bank
from benchmarks.latency.statements import recording
from benchmarks.options import Options
from benchmarks.recall.summary import describe
from benchmarks.report import Goal, describe_goals
from benchmarks.tenant import make_access
from memoryplatform.dashboard.access import TENANT
from tenants.models import Member
from tenants.transactions import tenant_transaction

ROUNDS = 20
MOST_MILLISECONDS = 200
BANK = "/dashboard/banks/large"
NOT_A_PAGE = {"graph data, 5,000 nodes"}  # what the drawing loads; its page is measured by itself
Pages = dict[str, Callable[[random.Random], str]]  # by the name of a page: how to write one of its addresses


class NotShown(Exception):
    """A page answered with an error, so there is nothing to measure."""


@dataclass
class Measured:
    milliseconds: list[float] = field(default_factory=list)
    in_database: list[float] = field(default_factory=list)
    statements: int = 0
    kilobytes: float = 0.0


def run(options: Options) -> dict[str, Any]:
    access = make_access()
    large = fill_bank(access, options)
    client = sign_in(large)
    pages = list_pages(large)
    measured = {name: Measured() for name in pages}
    chance = random.Random(SEED)  # noqa: S311  # a sample, not a secret
    for build_address in pages.values():
        open_page(client, build_address(chance), Measured())  # imports and compiled templates
    for _ in options.progress.over(range(ROUNDS), "pages"):
        for name, build_address in pages.items():
            cache.clear()  # counts are kept for a minute, which a reader who comes once an hour never meets
            open_page(client, build_address(chance), measured[name])
    return {"memories": len(large.units), "goals": describe_goals(list_goals(measured)), "pages": write_rows(measured)}


def sign_in(large: LargeBank) -> Client:
    """As the tenant's owner, who sees every page."""
    tenant_id = large.bank.tenant_id
    with tenant_transaction(tenant_id):
        owner = Member.objects.for_tenant(tenant_id).select_related("user").get(role="owner").user
    client = Client(HTTP_HOST="localhost")
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    session = client.session
    session[TENANT] = str(tenant_id)
    session.save()
    return client


def list_pages(large: LargeBank) -> Pages:
    opinions = [unit for unit in large.units if unit.network == Network.OPINION and not unit.expired_at]
    return {
        "overview": lambda _: "/dashboard/",
        "bank": lambda _: f"{BANK}/",
        "settings of the bank": lambda _: f"{BANK}/settings/",
        **list_memory_pages(large),
        **list_timeline_pages(large),
        **list_entity_pages(large),
        "opinions": lambda _: f"{BANK}/opinions/",
        "opinion": lambda chance: f"{BANK}/opinions/{chance.choice(opinions).id}/",
        "import": lambda _: f"{BANK}/import/",
        "recall playground": lambda _: f"{BANK}/recall/",
        "reflect playground": lambda _: f"{BANK}/reflect/",
        "chat": lambda _: f"{BANK}/chat/",
        "operations": lambda _: "/dashboard/operations/",
        "usage": lambda _: "/dashboard/usage/",
        "palette": lambda chance: f"/dashboard/palette/?{urlencode({'q': chance.choice(PEOPLE)})}",
    }


def list_memory_pages(large: LargeBank) -> Pages:
    """The list of memories with its filters, one memory, and the conversations."""
    threads = len(large.units) // 60
    return {
        "memories": lambda _: f"{BANK}/memories/",
        "memories, older page": lambda chance: ask("memories", until=f"{pick_time(large, chance):%Y-%m-%d}"),
        "memories, by words": lambda chance: ask("memories", q=f"{chance.choice(THINGS)} number"),
        "memories, by entity": lambda chance: ask("memories", entity=pick_entity(large, chance)),
        "memories, by tag": lambda chance: ask("memories", tag=f"tag-{chance.randrange(100)}"),
        "memories, one network": lambda _: ask("memories", network="opinion"),
        "memories, superseded": lambda _: ask("memories", state="superseded"),
        "memories, recorded then": lambda chance: ask(
            "memories", time="recorded_at", until=f"{pick_time(large, chance):%Y-%m-%d}"
        ),
        "memories, known then": lambda chance: ask("memories", known_at=write(pick_time(large, chance))),
        "memories, true then": lambda chance: ask("memories", as_of=write(pick_time(large, chance))),
        "memory": lambda chance: f"{BANK}/memories/{chance.choice(large.units).id}/",
        "conversations": lambda _: f"{BANK}/conversations/",
        "conversations, by words": lambda chance: ask("conversations", q=chance.choice(THINGS)),
        "conversation": lambda chance: ask("conversation", thread=f"thread-{chance.randrange(threads)}"),
    }


def list_timeline_pages(large: LargeBank) -> Pages:
    return {
        "timeline": lambda _: f"{BANK}/timeline/",
        "timeline, a month": lambda chance: ask("timeline", **pick_window(large, chance, 30)),
        "timeline, a day": lambda chance: ask("timeline", **pick_window(large, chance, 1)),
        "timeline, true and known then": lambda chance: ask(
            "timeline", as_of=write(pick_time(large, chance)), known_at=write(pick_time(large, chance))
        ),
        "timeline, an entity": lambda chance: ask("timeline", entity=pick_entity(large, chance)),
    }


def list_entity_pages(large: LargeBank) -> Pages:
    """The graph with its data, the list of entities, and one entity."""
    return {
        "graph": lambda _: f"{BANK}/graph/",
        "graph, a node": lambda chance: ask("graph", node=f"entity:{pick_entity(large, chance)}"),
        "graph data, 300 nodes": lambda _: f"{BANK}/graph/data/",
        "graph data, 5,000 nodes": lambda _: ask("graph/data", size=5000),
        "graph data, around a node": lambda chance: ask("graph/data", node=f"entity:{pick_entity(large, chance)}"),
        "entities": lambda _: f"{BANK}/entities/",
        "entities, by name": lambda chance: ask("entities", q=chance.choice(PEOPLE)),
        "entity": lambda chance: f"{BANK}/entities/{pick_entity(large, chance)}/",
    }


def ask(path: str, **query: object) -> str:
    return f"{BANK}/{path}/?{urlencode(query)}"


def pick_entity(large: LargeBank, chance: random.Random) -> UUID:
    return chance.choice(large.entities[:100]).id


def pick_time(large: LargeBank, chance: random.Random) -> datetime:
    return large.now - timedelta(days=chance.uniform(1, 365 * YEARS - 30))


def pick_window(large: LargeBank, chance: random.Random, days: float) -> dict[str, str]:
    start = pick_time(large, chance)
    return {"from": write(start), "to": write(start + timedelta(days=days))}


def write(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def open_page(client: Client, address: str, measured: Measured) -> None:
    with recording() as recorder:
        started = perf_counter()
        response = client.get(address)
        content = response.getvalue()
        measured.milliseconds.append((perf_counter() - started) * 1000)
    if response.status_code != 200:  # noqa: PLR2004  # OK
        raise NotShown(f"{address} answered {response.status_code}.")
    measured.in_database.append(recorder.seconds * 1000)
    measured.statements = max(measured.statements, len(recorder.statements))
    measured.kilobytes = max(measured.kilobytes, len(content) / 1024)


def write_rows(measured: dict[str, Measured]) -> list[dict[str, Any]]:
    return [
        {
            "page": name,
            **{f"{key}_ms": value for key, value in describe(one.milliseconds).items()},
            "database_p50_ms": describe(one.in_database)["p50"],
            "statements": one.statements,
            "kilobytes": round(one.kilobytes, 1),
        }
        for name, one in measured.items()
    ]


def list_goals(measured: dict[str, Measured]) -> list[Goal]:
    return [
        Goal(f"{name}: p95 ms", describe(one.milliseconds)["p95"], at_most=MOST_MILLISECONDS)
        for name, one in measured.items()
        if name not in NOT_A_PAGE
    ]
