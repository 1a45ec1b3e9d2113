"""The benchmark of the dashboard's pages, on a small bank."""

from pathlib import Path

import pytest
from django.core.cache import cache
from pytest_django.fixtures import Settings

from benchmarks.dashboard import suite
from benchmarks.options import Options


def test_every_page_of_a_filled_bank_is_opened(
    committed_db: None, redis_server: object, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    monkeypatch.setattr(suite, "ROUNDS", 1)
    report = suite.run(Options(tmp_path, tmp_path, limit=240))
    cache.clear()
    assert report["memories"] == 240
    pages = {row["page"]: row for row in report["pages"]}
    assert len(pages) > 30
    assert all(row["p95_ms"] > 0 for row in pages.values())
    assert pages["memories"]["statements"] < 20  # the same number for 240 memories and for 100,000
    assert pages["timeline"]["statements"] < 25
    assert pages["opinions"]["statements"] < 20
    assert {goal["at_most"] for goal in report["goals"]} == {200}
