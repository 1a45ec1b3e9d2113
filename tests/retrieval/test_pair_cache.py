from concurrent.futures import ThreadPoolExecutor

from retrieval.reranking import PairCache
from tests.retrieval.factories import make_id

TENANT = make_id(1)


def test_a_score_is_found_again() -> None:
    cache = PairCache()
    [tea, milk] = cache.build_keys(TENANT, "model", "query", ["tea", "milk"])
    cache.keep({tea: 0.25})
    assert cache.find([tea, milk]) == [0.25, None]


def test_no_score_is_a_score_too() -> None:
    cache = PairCache()
    [tea] = cache.build_keys(TENANT, "model", "query", ["tea"])
    cache.keep({tea: 0.0})
    assert cache.find([tea]) == [0.0]


def test_the_least_recently_used_go_first() -> None:
    cache = PairCache(most_pairs=2)
    [first, second, third] = cache.build_keys(TENANT, "model", "query", ["1", "2", "3"])
    cache.keep({first: 0.1, second: 0.2})
    cache.find([first])
    cache.keep({third: 0.3})
    assert cache.find([first, second, third]) == [0.1, None, 0.3]
    assert len(cache) == 2


def test_parts_that_read_the_same_when_joined_have_different_keys() -> None:
    cache = PairCache()
    keys = {
        *cache.build_keys(TENANT, "model", "ab", ["c"]),
        *cache.build_keys(TENANT, "model", "a", ["bc"]),
        *cache.build_keys(TENANT, "modela", "b", ["c"]),
        *cache.build_keys(make_id(2), "model", "ab", ["c"]),
    }
    assert len(keys) == 4


def test_it_holds_digests_that_another_process_would_not_make() -> None:
    [one] = PairCache().build_keys(TENANT, "model", "secret question", ["secret passage"])
    [other] = PairCache().build_keys(TENANT, "model", "secret question", ["secret passage"])
    assert one != other
    assert len(one) == 16


def test_any_text_has_a_key() -> None:
    assert len(PairCache().build_keys(TENANT, "model", "\ud800", ["\0", "", "\udfff"])) == 3


def test_threads_may_share_it() -> None:
    cache = PairCache(most_pairs=50)
    keys = cache.build_keys(TENANT, "model", "query", map(str, range(200)))

    def use(start: int) -> None:
        for index in range(start, start + 100):
            cache.keep({keys[index]: index / 200})
            cache.find(keys[start : start + 100])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, [0, 50, 100] * 8))
    assert len(cache) == 50
    assert all(score in (None, index / 200) for index, score in enumerate(cache.find(keys)))


def test_it_can_be_emptied() -> None:
    cache = PairCache()
    cache.keep({b"key": 0.5})
    cache.clear()
    assert len(cache) == 0
