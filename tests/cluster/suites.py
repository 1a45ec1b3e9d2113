"""Runs chosen tests in a process of their own, with other services than the usual ones."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT_SECONDS = 600


def run_tests(folder: Path, *arguments: str, **environment: str) -> str:
    """The summary of pytest. All tests must pass, and there must be some."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    own |= {"MEMORYPLATFORM_TEST_FOLDER": str(folder), "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "sdk")])}
    argv = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(
        argv, cwd=ROOT, env=own | environment, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout[-6_000:]
    return done.stdout.splitlines()[-1]
