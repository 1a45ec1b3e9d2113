"""The broker of Dramatiq: Redis or RabbitMQ."""

from typing import Any


def choose_broker(url: str) -> dict[str, Any]:
    """RabbitMQ confirms each message, so that a lost one is an error at once and not a wait for the sweeper."""
    if url.startswith(("amqp://", "amqps://")):
        return {
            "BROKER": "dramatiq.brokers.rabbitmq.RabbitmqBroker",
            "OPTIONS": {"url": url, "confirm_delivery": True},
        }
    return {
        "BROKER": "dramatiq.brokers.redis.RedisBroker",
        "OPTIONS": {"url": url, "namespace": "memoryplatform"},
    }
