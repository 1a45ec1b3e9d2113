"""`usage`: the tenant's use of models and storage, its cost, and the limits of the plan."""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from memoryplatform_client.cli.command import Command, Given, at_least, given_ones
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage
from memoryplatform_client.cli.output import Output
from memoryplatform_client.cli.session import Session
from memoryplatform_client.models.account import Plan, UsageAmounts, UsageReport

GROUPS = ("day", "bank", "key", "kind", "model")
AMOUNTS = ("requests", "LLM tokens", "own LLM tokens", "embedding tokens", "reranking tokens", "memories", "cost")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by", dest="group_by", action="append", choices=GROUPS, help="default: day; repeatable")
    parser.add_argument("--since", type=day, metavar="DAY", help="the first day, in UTC")
    parser.add_argument("--until", type=day, metavar="DAY", help="the last day, in UTC (default: today)")
    parser.add_argument("--days", type=at_least(1), metavar="N", help="the last N days (default: 30)")
    parser.add_argument("--csv", action="store_true", help="write the rows as CSV")
    parser.add_argument("--plan", action="store_true", help="show the limits of the plan and their use")


def day(text: str) -> date:
    """An argparse type."""
    try:
        return date.fromisoformat(text)
    except ValueError as fault:
        raise argparse.ArgumentTypeError(f"{text!r} is no day such as 2026-05-08") from fault


def run(session: Session, given: Given) -> int:
    if given.plan:
        return show_plan(session, session.client.account.plan())
    if given.days and given.since:
        raise BadUsage("--days and --since exclude each other.")
    if given.csv and session.out.as_json:
        raise BadUsage("--csv and --json exclude each other.")
    wanted: dict[str, Any] = given_ones(given, "group_by", "since", "until")
    if given.days:
        wanted["since"] = (given.until or datetime.now(UTC).date()) - timedelta(days=given.days - 1)
    if given.csv:
        sys.stdout.write(session.client.account.usage_csv(**wanted))
        return Exit.DONE
    report = session.client.account.usage(**wanted)
    if session.out.as_json:
        session.out.json(report)
    else:
        show_report(session.out, report, given.group_by or ["day"])
    return Exit.DONE


def show_report(out: Output, report: UsageReport, groups: Sequence[str]) -> None:
    """The total goes to standard error, so that a pipe gets only the rows."""
    rows = [(*(getattr(row, name) for name in groups), *amounts_of(row)) for row in report.rows]
    out.table([*groups, *AMOUNTS[:-1], f"cost ({report.currency})"], rows)
    amounts = (f"{name} {value}" for name, value in zip(AMOUNTS, amounts_of(report.total), strict=True))
    out.note(f"{report.since} to {report.until}: {', '.join(amounts)} {report.currency}.")
    if report.unpriced_models:
        out.note(f"The cost leaves out models without a price: {', '.join(report.unpriced_models)}.")


def amounts_of(row: UsageAmounts) -> tuple[object, ...]:
    language_model = row.llm_input_tokens + row.llm_output_tokens
    models = (language_model, row.own_llm_tokens, row.embedding_tokens, row.reranking_tokens)
    return row.requests, *models, row.memories, f"{row.cost:f}"


def show_plan(session: Session, plan: Plan) -> int:
    if session.out.as_json:
        session.out.json(plan)
        return Exit.DONE
    rows = [
        (
            one.quota,
            one.used,
            "no limit" if one.limit is None else one.limit,
            "" if one.percent is None else f"{one.percent}%",
        )
        for one in plan.quotas
    ]
    session.out.table(["quota", "used", "limit", "percent"], rows)
    session.out.note(
        f"Plan: {plan.plan}. Requests per minute: {plan.requests_per_minute or 'the limit of the service'}."
    )
    return Exit.DONE


COMMAND = Command("usage", "Use and cost of the tenant, and the limits of its plan.", add_arguments, run)
