import hashlib
import sys
from pathlib import Path

import pytest

from providers.errors import ModelFileError
from providers.packaged_file import check_file, check_folder, get_packaged_file


def test_a_file_is_found_without_running_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "explosive"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert get_packaged_file("explosive", "data", "a.bin") == package / "data" / "a.bin"
    assert "explosive" not in sys.modules


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(ModelFileError, match=r"data/a\.bin is missing: the package not_installed_anywhere"):
        get_packaged_file("not_installed_anywhere", "data", "a.bin")


def test_a_file_with_the_right_sum_passes(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"weights")
    assert check_file(path, sha256=hashlib.sha256(b"weights").hexdigest()) == path


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"changed")
    with pytest.raises(ModelFileError, match=r"model\.onnx is not the file that was expected"):
        check_file(path, sha256=hashlib.sha256(b"weights").hexdigest())


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"model\.onnx can't be read: No such file"):
        check_file(tmp_path / "model.onnx", sha256="")


@pytest.mark.parametrize("change", ["content", "name", "one more"])
def test_a_folder_with_a_changed_renamed_or_added_file_is_named(tmp_path: Path, change: str) -> None:
    folder = tmp_path / "model"
    (folder / "ner").mkdir(parents=True)
    (folder / "ner" / "weights").write_bytes(b"weights")
    line = f"{hashlib.sha256(b'weights').hexdigest()} ner/weights\n"
    expected = hashlib.sha256(line.encode()).hexdigest()
    assert check_folder(folder, sha256=expected) == folder
    if change == "content":
        (folder / "ner" / "weights").write_bytes(b"other weights")
    elif change == "name":
        (folder / "ner" / "weights").rename(folder / "ner" / "other")
    else:
        (folder / "config.cfg").touch()
    with pytest.raises(ModelFileError, match="model does not have the files that were expected"):
        check_folder(folder, sha256=expected)
