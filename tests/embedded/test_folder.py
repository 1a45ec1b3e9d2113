import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryplatform.embedded.address import Address
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.folder import DataFolder, find_data_dir, read_environment
from memoryplatform.embedded.up import write_environment


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def folder(place: Path) -> DataFolder:
    folder = DataFolder(place / "data")
    folder.prepare()
    return folder


def test_no_other_user_can_list_the_folder_or_read_its_secrets(folder: DataFolder) -> None:
    folder.write_environment({"SECRET_KEY": folder.secret("SECRET_KEY")})

    assert mode(folder.path) == (0o711 if os.geteuid() == 0 else 0o700)
    assert mode(folder.path / "environment.json") == 0o600


def test_a_secret_is_made_once_and_kept(folder: DataFolder) -> None:
    made = folder.secret("SECRET_KEY")
    folder.write_environment({"SECRET_KEY": made})

    again = DataFolder(folder.path)

    assert len(made) >= 32
    assert again.secret("SECRET_KEY") == made
    assert again.secret("API_KEY_SECRET") != made


def test_the_environment_is_read_back_and_replaced_at_each_write(folder: DataFolder) -> None:
    folder.write_environment({"DATABASE_URL": "old", "REDIS_URL": "old"})
    folder.write_environment({"DATABASE_URL": "new"})

    assert read_environment(folder.path) == {"DATABASE_URL": "new"}


def test_there_is_no_environment_before_the_first_start(place: Path) -> None:
    assert read_environment(place / "never-used") == {}


def test_a_damaged_environment_file_is_named(folder: DataFolder) -> None:
    (folder.path / "environment.json").write_text("{")

    with pytest.raises(StartError, match=r"environment\.json is damaged"):
        read_environment(folder.path)


def test_a_folder_that_cannot_be_made_is_named(place: Path) -> None:
    in_the_way = place / "file"
    in_the_way.touch()

    with pytest.raises(StartError, match=rf"^The data folder {in_the_way}/data can't be written: Not a directory\.$"):
        DataFolder(in_the_way / "data").prepare()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(place: Path) -> None:
    place.chmod(0o500)
    try:
        with pytest.raises(StartError, match=r"can't be written: Permission denied\.$"):
            DataFolder(place / "data").prepare()
    finally:
        place.chmod(0o700)


def test_a_folder_with_other_files_is_left_alone(place: Path) -> None:
    (place / "holiday.jpg").touch()

    with pytest.raises(StartError, match="holds files of something else"):
        DataFolder(place).prepare()
    assert mode(place) == 0o711


def test_a_second_lock_names_the_folder_and_the_process_that_holds_it(folder: DataFolder) -> None:
    with folder.lock(), pytest.raises(StartError) as caught, DataFolder(folder.path).lock():
        pass

    assert f"{folder.path} is in use by process {os.getpid()}:" in str(caught.value)


def test_the_lock_of_a_killed_process_is_free(
    folder: DataFolder, run_script: Callable[..., "subprocess.Popen[str]"]
) -> None:
    script = (
        "import sys, time; from pathlib import Path; from memoryplatform.embedded.folder import DataFolder\n"
        "with DataFolder(Path(sys.argv[1])).lock(): print('held', flush=True); time.sleep(60)"
    )
    holder = run_script(script, str(folder.path))
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(StartError, match=f"in use by process {holder.pid}:"), folder.lock():
        pass
    holder.send_signal(signal.SIGKILL)
    holder.wait()

    with folder.lock():
        assert (folder.path / "up.lock").read_text() == str(os.getpid())


def test_metrics_of_an_earlier_run_are_gone(folder: DataFolder) -> None:
    folder.empty_metrics()
    (folder.metrics / "counter_1.db").touch()

    folder.empty_metrics()

    assert list(folder.metrics.iterdir()) == []


def test_the_folder_comes_from_the_option_then_the_environment_then_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMORYPLATFORM_DATA_DIR", raising=False)
    assert find_data_dir(None) == tmp_path / ".memoryplatform"

    monkeypatch.setenv("MEMORYPLATFORM_DATA_DIR", "/from/environment")
    assert find_data_dir(None) == Path("/from/environment")
    assert find_data_dir("option") == tmp_path / "option"


def test_links_in_mails_begin_with_the_address_of_up(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in commands beside `up`. PUBLIC_URL, which also names the issuer of tokens, stays unset."""
    monkeypatch.setenv("MEMORYPLATFORM_DATA_DIR", str(folder.path))
    for name in ("PUBLIC_URL", "UP_URL"):
        monkeypatch.delenv(name, raising=False)
    write_environment(folder, Address("0.0.0.0", 9123), {})  # noqa: S104 - nothing listens
    assert read_link_settings() == "http://127.0.0.1:9123 None"
    monkeypatch.setenv("PUBLIC_URL", "https://memory.example.com")
    assert read_link_settings() == "https://memory.example.com https://memory.example.com"


def read_link_settings() -> str:
    return read_settings("MAIL_LINK_URL, PUBLIC_URL")


def read_settings(names: str) -> str:
    code = f"from memoryplatform.settings.embedded import *; print({names})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(("host", "allowed"), [("127.0.0.1", True), ("0.0.0.0", False)])  # noqa: S104
def test_webhooks_and_own_models_at_private_addresses_need_a_service_on_loopback(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch, host: str, *, allowed: bool
) -> None:
    monkeypatch.setenv("MEMORYPLATFORM_DATA_DIR", str(folder.path))
    names = ("WEBHOOK_PRIVATE_ADDRESSES", "OWN_LLM_PRIVATE_ADDRESSES")
    for name in ("UP_HOST", *names):
        monkeypatch.delenv(name, raising=False)
    write_environment(folder, Address(host, 9123), {})
    assert read_settings(", ".join(names)) == f"{allowed} {allowed}"
    monkeypatch.setenv(names[0], str(not allowed).lower())
    assert read_settings(", ".join(names)) == f"{not allowed} {allowed}"


def test_a_start_at_another_host_inherits_no_permission_from_the_former_one(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings of `up` itself are read before its arguments, and its processes inherit its environment."""
    monkeypatch.setenv("MEMORYPLATFORM_DATA_DIR", str(folder.path))
    monkeypatch.delenv("WEBHOOK_PRIVATE_ADDRESSES", raising=False)
    write_environment(folder, Address("127.0.0.1", 9123), {})
    code = "import memoryplatform.settings.embedded, os; print('WEBHOOK_PRIVATE_ADDRESSES' in os.environ)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    programs = write_environment(folder, Address("0.0.0.0", 9123), {})  # noqa: S104 - nothing listens
    assert programs.environment["UP_HOST"] == "0.0.0.0"  # noqa: S104


def test_the_metrics_have_a_token_by_default(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("METRICS_TOKEN", raising=False)
    write_environment(folder, Address("127.0.0.1", 8000), {})
    made = read_environment(folder.path)["METRICS_TOKEN"]
    write_environment(folder, Address("127.0.0.1", 8000), {})
    assert read_environment(folder.path)["METRICS_TOKEN"] == made
    monkeypatch.setenv("METRICS_TOKEN", "my-own")
    write_environment(folder, Address("127.0.0.1", 8000), {})
    assert (len(made) >= 32, read_environment(folder.path)["METRICS_TOKEN"]) == (True, "my-own")
