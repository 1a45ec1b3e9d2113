"""`keys`: list, create, rotate and revoke API keys. The key in use needs the scope admin."""

import argparse
from datetime import datetime, timedelta
from typing import Any

from memoryplatform_client.cli.command import Action, Command, Given, at_least, filled, given_ones, moment
from memoryplatform_client.cli.confirming import confirm
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage, CommandFailed
from memoryplatform_client.cli.session import Session
from memoryplatform_client.models.account import ApiKey, NewApiKey

SCOPES = ("read", "write", "admin")
SHOWN_ONCE = "Store the key now: it is not shown again."


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also revoked and expired keys")


def list_keys(session: Session, given: Given) -> int:
    listed = session.client.account.keys().keys
    keys = [key for key in listed if given.all or find_state(key) not in {"revoked", "expired"}]
    if session.out.as_json:
        session.out.json(keys)
    else:
        rows = [
            (
                key.prefix,
                key.name,
                ",".join(key.scopes),
                "every bank" if key.banks is None else ",".join(key.banks),
                find_state(key),
                key.last_used_at.isoformat(timespec="minutes") if key.last_used_at else "never",
            )
            for key in keys
        ]
        session.out.table(["prefix", "name", "scopes", "banks", "state", "last used"], rows)
    return Exit.DONE


def find_state(key: ApiKey) -> str:
    if key.revoked_at:
        return "revoked"
    if key.expires_at is None:
        return "active"
    has_ended = key.expires_at <= datetime.now(key.expires_at.tzinfo)
    return "expired" if has_ended else f"until {key.expires_at.isoformat(timespec='minutes')}"


def add_create_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", type=filled, help="where the key is used")
    parser.add_argument("--scope", dest="scopes", action="append", choices=SCOPES, help="default: read and write")
    parser.add_argument(
        "--bank", dest="bank_ids", action="append", type=filled, metavar="BANK", help="default: every bank"
    )
    ends = parser.add_mutually_exclusive_group()
    ends.add_argument("--days", type=at_least(1), metavar="N", help="the key ends after N days")
    ends.add_argument("--expires-at", type=moment, metavar="TIME")


def create_key(session: Session, given: Given) -> int:
    options: dict[str, Any] = given_ones(given, "bank_ids", "expires_at")
    if given.days:
        options["expires_at"] = datetime.now().astimezone() + timedelta(days=given.days)
    scopes = given.scopes or ["read", "write"]
    return show_new(session, session.client.account.create_key(given.name, scopes, **options))


def add_rotate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", type=filled, help="the prefix or the id of the key")
    parser.add_argument(
        "--overlap-hours", type=at_least(0), metavar="N", help="how long the old key still works; default: 24"
    )


def rotate_key(session: Session, given: Given) -> int:
    key_id = find_key(session, given.key).key_id
    return show_new(session, session.client.account.rotate_key(key_id, **given_ones(given, "overlap_hours")))


def add_revoke_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", type=filled, help="the prefix or the id of the key")
    parser.add_argument("--yes", action="store_true", help="revoke without a prompt")


def revoke_key(session: Session, given: Given) -> int:
    key = find_key(session, given.key)
    if not given.yes:
        confirm(session.out, f"This ends the key {key.name} at once and for good.", word=key.prefix)
    revoked = session.client.account.revoke_key(key.key_id)
    if session.out.as_json:
        session.out.json(revoked)
    else:
        session.out.line(f"Revoked {revoked.prefix} ({revoked.name}).")
    return Exit.DONE


def find_key(session: Session, text: str) -> ApiKey:
    """By prefix, with or without `mpk_`, or by id. A whole key is refused: it would be in the shell's history."""
    if text.count("_") > 1:
        raise BadUsage("Give the prefix of the key, not the key itself.")
    prefix = text.removeprefix("mpk_")
    found = next((key for key in session.client.account.keys().keys if prefix in {key.prefix, str(key.key_id)}), None)
    if found is None:
        raise CommandFailed(f"There is no key {text!r}: `memoryplatform keys --all` lists them.", Exit.NOT_FOUND)
    return found


def show_new(session: Session, new: NewApiKey) -> int:
    """Standard output has the key alone, for a pipe into a secret store."""
    if session.out.as_json:
        session.out.json(new)
    else:
        session.out.note(f"{new.key.name} ({', '.join(new.key.scopes)}), prefix {new.key.prefix}. {SHOWN_ONCE}")
        session.out.line(new.text)
    return Exit.DONE


COMMAND = Command(
    "keys",
    "List, create, rotate and revoke API keys.",
    actions=(
        Action("list", "The keys of the tenant.", add_list_arguments, list_keys),
        Action("create", "Create a key. It is shown once.", add_create_arguments, create_key),
        Action("rotate", "Replace a key. Both work for some time.", add_rotate_arguments, rotate_key),
        Action("revoke", "End a key at once.", add_revoke_arguments, revoke_key),
    ),
    lists_alone=True,
)
