"""`banks`: list, create, show, delete."""

import argparse
from typing import Any

from memoryplatform_client.cli.command import Action, Command, Given, given_ones
from memoryplatform_client.cli.confirming import confirm
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.output import Output
from memoryplatform_client.cli.session import Session
from memoryplatform_client.models.banks import Bank

TRAITS = ("skepticism", "literalism", "empathy")
TEXTS = ("name", "background", "extraction_mode", "retain_mission", "leave_out", "retain_language")
TERMS = {
    "entity-type": "a type of entities, such as MEDICATION; repeatable",
    "category": "a category that facts may get; repeatable",
}


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--search", dest="q", metavar="TEXT", help="a part of the id or the name")


def list_banks(session: Session, given: Given) -> int:
    wanted: dict[str, Any] = given_ones(given, "q")
    banks = list(session.client.banks.list(**wanted))
    if session.out.as_json:
        session.out.json(banks)
    else:
        rows = [(bank.bank_id, bank.name, bank.extraction_mode, bank.created_at.date()) for bank in banks]
        session.out.table(["id", "name", "extraction", "created"], rows)
    return Exit.DONE


def add_create_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument("--name")
    parser.add_argument("--background", help="who the agent is, in the first person")
    for trait in TRAITS:
        parser.add_argument(f"--{trait}", type=int, choices=range(1, 6))
    parser.add_argument("--bias-strength", type=float, metavar="0..1")
    parser.add_argument("--extraction-mode", choices=["narrative", "calibrated", "verbatim"])
    parser.add_argument("--retain-mission", metavar="TEXT", help="what the memory is for, and what to look for")
    parser.add_argument("--leave-out", metavar="TEXT", help="what must not become a memory")
    parser.add_argument("--retain-language", metavar="NAME", help="the language of the facts, such as German")
    for name, words in TERMS.items():
        parser.add_argument(f"--{name}", action="append", default=[], metavar="NAME[: DESCRIPTION]", help=words)


def create_bank(session: Session, given: Given) -> int:
    fields: dict[str, Any] = given_ones(given, *TEXTS, "bias_strength")
    for name, terms in (("entity_types", given.entity_type), ("categories", given.category)):
        parts = [term.partition(": ") for term in terms]
        fields |= {name: [{"name": one, "description": words} for one, _, words in parts]} if parts else {}
    disposition = given_ones(given, *TRAITS)
    if disposition:
        fields["disposition"] = disposition
    bank = session.client.banks.create(given.bank, **fields)
    if session.out.as_json:
        session.out.json(bank)
    else:
        session.out.line(f"Created bank {bank.bank_id}.")
    return Exit.DONE


def add_bank_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")


def show_bank(session: Session, given: Given) -> int:
    bank = session.client.banks.get(given.bank)
    if session.out.as_json:
        session.out.json(bank)
    else:
        show_profile(session.out, bank)
    return Exit.DONE


def show_profile(out: Output, bank: Bank) -> None:
    traits = bank.disposition
    rows = [
        ("id", bank.bank_id),
        ("name", bank.name),
        ("background", bank.background),
        ("disposition", ", ".join(f"{name} {getattr(traits, name)}" for name in TRAITS)),
        ("bias strength", f"{bank.bias_strength:g}"),
        ("extraction", bank.extraction_mode),
        ("mission", bank.retain_mission),
        ("leave out", bank.leave_out),
        ("language", bank.retain_language),
        ("entity types", ", ".join(one.name for one in bank.entity_types)),
        ("categories", ", ".join(one.name for one in bank.categories)),
        ("embedding", bank.embedding_model),
        ("created", bank.created_at.isoformat(timespec="seconds")),
    ]
    out.table(["", ""], rows)


def add_delete_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument("--yes", action="store_true", help="delete without a prompt")


def delete_bank(session: Session, given: Given) -> int:
    bank = session.client.banks.get(given.bank)
    if not given.yes:
        confirm(session.out, f"This deletes {bank.bank_id} and everything in it for good.", word=bank.bank_id)
    deleted = session.client.banks.delete(given.bank)
    done = session.wait_for(deleted.operation_id, f"Deleting {given.bank}")
    if session.out.as_json:
        session.out.json(done)
    else:
        session.out.line(f"Deleted bank {given.bank}.")
    return Exit.DONE


COMMAND = Command(
    "banks",
    "List, create, show and delete banks.",
    actions=(
        Action("list", "All banks that the key reaches.", add_list_arguments, list_banks),
        Action("create", "Create a bank.", add_create_arguments, create_bank),
        Action("show", "The profile of a bank.", add_bank_argument, show_bank),
        Action("delete", "Delete a bank and everything in it.", add_delete_arguments, delete_bank),
    ),
    lists_alone=True,
)
