from datetime import datetime

from memoryplatform_client.models.base import Model


class BankStats(Model):
    """Counts of current memories. Opinions are counted only in `total_opinions`."""

    bank_id: str
    total_nodes: int
    total_links: int
    total_documents: int
    total_observations: int
    total_opinions: int
    nodes_by_fact_type: dict[str, int]
    links_by_link_type: dict[str, int]
    links_by_fact_type: dict[str, int]
    links_breakdown: dict[str, dict[str, int]]
    pending_operations: int
    failed_operations: int
    operations_by_status: dict[str, int]
    pending_consolidation: int
    failed_consolidation: int
    last_consolidated_at: datetime | None
    last_memory_write_at: datetime | None


class TimeBucket(Model):
    """The number of memories of each network in the step that begins at `time`."""

    time: datetime
    experience: int
    observation: int
    world: int


class MemoriesOverTime(Model):
    """`trunc` is the width of a step."""

    bank_id: str
    period: str
    time_field: str
    trunc: str
    buckets: list[TimeBucket]
