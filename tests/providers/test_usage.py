from providers.usage import Usage


def test_usage_adds_up() -> None:
    assert Usage(10, 2, calls=1) + Usage(5, 1, calls=1) == Usage(15, 3, calls=2)


def test_a_sum_with_an_estimate_is_an_estimate() -> None:
    assert (Usage(1, 1, calls=1) + Usage(1, 1, calls=1, estimated=True)).estimated
    assert not (Usage() + Usage(1, 1, calls=1)).estimated
