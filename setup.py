"""Puts the files that are no Python packages into the wheel. Everything else about the build is in pyproject.toml.

A checkout has the templates, static files and pages of the documentation beside the packages. A wheel has them in
`memoryplatform/assets`; `memoryplatform/settings/base.py` chooses the folder.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

FOLDERS = ("templates", "static", "docs")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "timewords/README.md")


class BuildWithAssets(build_py):
    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            copy_assets(Path(self.build_lib) / "memoryplatform" / "assets")


def copy_assets(target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)  # an earlier build may have left files that are deleted since
    for folder in FOLDERS:
        shutil.copytree(folder, target / folder)
    for page in PAGES:
        (target / page).parent.mkdir(exist_ok=True)
        shutil.copyfile(page, target / page)


setup(cmdclass={"build_py": BuildWithAssets})
