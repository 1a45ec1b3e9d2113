"""Tests that hold the product to a time, on machines that do other things as well.

Whatever is slow by itself is slow every time; a machine that stood still for a second does not do so three times.
"""

import pytest

holds_to_a_time = pytest.mark.flaky(reruns=2, reruns_delay=1)
