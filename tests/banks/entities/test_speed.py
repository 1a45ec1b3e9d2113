from time import process_time

from banks.entities.resolution.scoring import resolve
from tests.banks.entities.sample import make_candidate, make_mention
from tests.clock import holds_to_a_time


@holds_to_a_time
def test_a_thousand_mentions_against_twenty_candidates_take_less_than_a_second() -> None:
    candidates = [
        make_candidate(f"{first} {last}")
        for first in ("Alice", "Robert", "Maria", "Daniel")
        for last in ("Chen", "Cooper", "Garcia", "Baum", "Smithers")
    ]
    mentions = [
        make_mention(f"Alic{'abcdefghij'[i % 10]} Co{'klmnopqrst'[i // 10 % 10]}per{i // 100}") for i in range(1000)
    ]
    resolve(mentions[0], candidates)  # reads the name lists
    start = process_time()
    for mention in mentions:
        resolve(mention, candidates)
    assert process_time() - start < 1.0
