"""The package works by itself: it imports neither Django nor any other package of the platform."""

import subprocess
import sys

OURS = ("django", "memoryplatform", "banks", "retrieval", "reflection", "rules", "tenants", "providers", "benchmarks")
CODE = f"import sys, timewords.benchmark; sys.exit(', '.join(name for name in {OURS} if name in sys.modules) or 0)"


def test_it_imports_nothing_of_the_platform() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
