"""Concurrent tenants: a busy tenant delays only itself."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from memoryplatform.api.mcp.server import TOOLS
from memoryplatform.api.mcp.threads import (
    MOST_CALLS,
    MOST_CALLS_OF_TENANT,
    TENANT_SLOTS,
    TenantSlots,
    run_in_tenant_slot,
)
from memoryplatform.api.mcp.tools.banks import GetArguments, run_get
from memoryplatform.api.mcp.tools.tool import Answer, Call
from tenants.models import Tenant
from tests.factories import make_bank, make_tenant
from tests.mcp.conftest import Connect
from tests.retrieval.memory import Memory

SECONDS = 10


def test_a_tenant_with_many_slow_calls_keeps_no_other_waiting(
    memory: Memory, alice: Tenant, connected: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, busy = threading.Event(), threading.Semaphore(0)

    def get_slowly(call: Call, arguments: GetArguments) -> Answer:
        if call.access.tenant_id == alice.id:
            busy.release()
            assert ended.wait(3 * SECONDS)
        return run_get.run(call, arguments)

    monkeypatch.setitem(TOOLS, "get_bank", replace(TOOLS["get_bank"], run=get_slowly))
    bob = make_tenant()
    make_bank(bob, bank_id="support")
    many, one = connected(alice, bank="support"), connected(bob, bank="support")
    with ThreadPoolExecutor(MOST_CALLS + 2) as pool:
        try:
            waiting = [pool.submit(many.call, "get_bank") for _ in range(MOST_CALLS + 1)]
            assert all(busy.acquire(timeout=SECONDS) for _ in range(MOST_CALLS_OF_TENANT))
            assert pool.submit(one.call, "get_bank").result(SECONDS)["bank_id"] == "support"
            assert not busy.acquire(blocking=False)
        finally:
            ended.set()
        assert all(call.result(SECONDS)["bank_id"] == "support" for call in waiting)


def test_an_abandoned_call_keeps_its_slot_until_it_ends() -> None:
    ended, tenant_id = threading.Event(), uuid4()

    async def call_and_leave() -> None:
        calls = [asyncio.create_task(run_in_tenant_slot(tenant_id, ended.wait)) for _ in range(MOST_CALLS_OF_TENANT)]
        await asyncio.sleep(0.05)
        for call in calls:
            call.cancel()
        after = asyncio.create_task(run_in_tenant_slot(tenant_id, lambda: "ran"))
        assert await asyncio.wait([after], timeout=0.1) == (set(), {after})
        ended.set()
        assert await asyncio.wait_for(after, SECONDS) == "ran"

    try:
        asyncio.run(call_and_leave())
    finally:
        ended.set()
    assert asyncio.run(asyncio.wait_for(run_in_tenant_slot(tenant_id, lambda: "again"), SECONDS)) == "again"


def test_a_cancelled_waiting_call_is_skipped_and_forgotten() -> None:
    places, tenant_id = TenantSlots(1), uuid4()

    async def wait_and_leave() -> None:
        await places.take(tenant_id)
        first, second, third = (asyncio.create_task(places.take(tenant_id)) for _ in range(3))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        places.leave(tenant_id)
        await asyncio.wait_for(second, SECONDS)
        places.leave(tenant_id)  # the third caller's turn comes, but it leaves before it is notified
        third.cancel()
        await asyncio.wait([first, third])
        assert (first.cancelled(), third.cancelled()) == (True, True)

    asyncio.run(wait_and_leave())
    assert count_kept(places) == 0


def test_work_that_breaks_leaves_its_place() -> None:
    tenant_id = uuid4()

    def fail() -> None:
        raise RuntimeError("broken")

    async def call_often() -> None:
        for _ in range(MOST_CALLS_OF_TENANT + 1):
            with pytest.raises(RuntimeError, match="broken"):
                await asyncio.wait_for(run_in_tenant_slot(tenant_id, fail), SECONDS)

    asyncio.run(call_often())
    assert not holds(TENANT_SLOTS, tenant_id)


def count_kept(places: TenantSlots) -> int:
    return len(places._taken) + len(places._waiting)


def holds(places: TenantSlots, tenant_id: UUID) -> bool:
    return tenant_id in places._taken
