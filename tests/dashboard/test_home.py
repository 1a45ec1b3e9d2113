"""The home page for visitors."""

import re
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from memoryplatform.dashboard.public import ADDRESS, FIGURES, SNIPPETS, Figure
from tests.accounts.conftest import make_person, sign_in

ROOT = Path(__file__).resolve().parents[2]


def read(client: Client, path: str = "/") -> str:
    page = client.get(path)
    assert page.status_code == 200
    return page.content.decode()


def test_a_visitor_reads_what_it_is_and_how_to_begin(client: Client) -> None:
    page = read(client)
    assert "Memory your agents can explain" in page
    for target in ("/accounts/signup/", "/accounts/login/", "/docs/", "/docs/api/", "/health/ready"):
        assert f'href="{target}"' in page
    assert "Open dashboard" not in page
    assert "Apache License" in page


def test_a_visitor_needs_no_database_and_gets_no_cookie(client: Client) -> None:
    """Without the mark `django_db` a query would fail the test."""
    answer = client.get("/")
    assert (answer.status_code, answer.cookies) == (200, {})


@pytest.mark.django_db
def test_a_signed_in_person_is_led_to_the_dashboard() -> None:
    page = read(sign_in(make_person("ana@example.com")))
    assert "Open dashboard" in page
    assert "Create an account" not in page


@pytest.mark.parametrize("policy", ["invited", "closed"])
def test_it_offers_no_account_where_nobody_can_sign_up(client: Client, settings: Settings, policy: str) -> None:
    settings.SIGN_UP = policy
    assert "/accounts/signup/" not in read(client)


def test_the_snippets_have_the_address_of_the_installation(client: Client, settings: Settings) -> None:
    page = read(client)
    assert ADDRESS not in page
    assert page.count("http://testserver") >= len(SNIPPETS)
    settings.PUBLIC_URL = "https://memory.example.com"
    assert "https://memory.example.com" in read(client)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.value)
def test_every_figure_is_in_the_benchmarks(figure: Figure) -> None:
    section = (ROOT / "docs/benchmarks.md").read_text().partition(f"{figure.heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith(figure.row)]
    assert any(re.search(rf"(?<![\d.]){re.escape(figure.value)}(?![\d.])", row) for row in rows), figure


@pytest.mark.parametrize(
    "path",
    ["/", "/docs/", "/docs/recall/", "/docs/search/?q=bank", "/docs/nowhere/", "/docs/api/", "/docs/api/recall/"],
)
def test_the_pages_obey_a_strict_content_security_policy(client: Client, path: str) -> None:
    """No inline script, style or handler, and nothing from another host."""
    page = client.get(path).content.decode()
    assert re.findall(r"<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=|javascript:", page) == []
    assert re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?//', page) == []
