"""The completion scripts. Bash runs its own; zsh loads the same through bashcompinit."""

import json
import subprocess

import pytest

from memoryplatform_client.cli.program import COMMANDS
from tests.cli.conftest import Cli


@pytest.fixture
def script(bare_cli: Cli) -> str:
    return bare_cli("completion", "bash").out


def complete(script: str, *words: str) -> set[str]:
    """The offers for the last word, as bash asks for them."""
    listed = " ".join(f"'{word}'" for word in ("memoryplatform", *words))
    asked = f"COMP_WORDS=({listed}); COMP_CWORD={len(words)}; _memoryplatform; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", f"{script}\n{asked}"], capture_output=True, text=True, check=True, cwd="/")
    assert done.stderr == ""
    return set(done.stdout.split())


def test_commands_actions_and_options_are_completed(script: str) -> None:
    assert {one.name for one in COMMANDS} <= complete(script, "")
    assert complete(script, "mem") == {"memories"}
    assert {"list", "create", "show", "delete"} <= complete(script, "banks", "")
    assert complete(script, "banks", "create", "--emp") == {"--empathy"}
    assert complete(script, "recall", "support", "--max") == {"--max-tokens", "--max-results"}
    assert complete(script, "recall", "support", "--budget", "") == {"low", "mid", "high"}
    assert complete(script, "completion", "") >= {"bash", "zsh", "fish"}


def test_a_value_that_is_a_file_is_completed_as_a_file(script: str) -> None:
    assert "/etc" in complete(script, "retain", "support", "--file", "/et")


def test_zsh_and_fish_get_scripts_of_their_own(bare_cli: Cli, script: str) -> None:
    zsh = bare_cli("completion", "zsh").out
    assert (zsh.endswith(script), "bashcompinit" in zsh.splitlines()[0]) == (True, True)
    fish = bare_cli("completion", "fish").out.splitlines()
    assert all(line.startswith("complete -c memoryplatform ") for line in fish)
    assert [one.name for one in COMMANDS if not any(f" -a {one.name} " in line for line in fish)] == []
    assert bare_cli("completion", "tcsh").code == 2
    assert json.loads(bare_cli("completion", "bash", "--json").out)["script"] == script
