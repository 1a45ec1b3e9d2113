from datetime import UTC, datetime

from memoryplatform.operations.notify.send import read_secret, sign

AT = datetime.fromtimestamp(1614265330, tz=UTC)


def test_it_is_the_one_of_the_standards_own_example() -> None:
    """The example is from the reference libraries of Standard Webhooks."""
    headers = sign(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        at=AT,
        body=b'{"test": 2432232314}',
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert headers["webhook-timestamp"] == "1614265330"


def test_a_secret_of_the_callers_own_is_taken_as_it_is() -> None:
    assert read_secret("my secret") == b"my secret"
    assert read_secret("whsec_not base64!") == b"whsec_not base64!"
