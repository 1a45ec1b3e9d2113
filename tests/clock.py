"""Time limits in tests, on machines with other load.

A test is repeated: slow code is slow every time, while a stalled machine rarely stalls three times in a row.
"""

import pytest

holds_to_a_time = pytest.mark.flaky(reruns=2, reruns_delay=1)
