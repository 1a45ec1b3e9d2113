"""The containers of compose.yaml: an unprivileged user, a read-only file system, and no way to more rights."""

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
OTHERS = {"postgres", "redis", "caddy"}  # images that we do not build


def read_services() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    return services


def test_our_containers_can_write_and_gain_nothing() -> None:
    ours = {name: one for name, one in read_services().items() if "build" in one}
    assert set(ours) == set(read_services()) - OTHERS
    for name, one in ours.items():
        assert (one["read_only"], one["cap_drop"]) == (True, ["ALL"]), name
        assert one["security_opt"] == ["no-new-privileges:true"], name
        assert [mount.partition(":")[0] for mount in one["tmpfs"]] == ["/tmp"], name  # noqa: S108  # in the container
        assert not {"privileged", "cap_add", "user", "pid", "network_mode", "devices"} & set(one), name


def test_no_container_is_privileged_or_sees_the_engine() -> None:
    for name, one in read_services().items():
        assert not one.get("privileged"), name
        assert "docker.sock" not in str(one.get("volumes", "")), name
        assert "unconfined" not in str(one.get("security_opt", "")), name


def test_the_image_runs_as_a_user_without_rights() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    last = [line for line in lines if line.startswith("USER ")][-1]
    assert last == "USER service"
    assert any("useradd --system" in line and line.split()[-1] == "service" for line in lines)
    copies = [line for line in lines[lines.index(last) :] if line.startswith(("COPY", "RUN", "ADD"))]
    assert copies == []
