from typing import Literal, Unpack

from memoryplatform_client.calls import Call, change, fetch, reader, remove, submit, tagged_reader, without_none
from memoryplatform_client.models.bank_stats import BankStats, MemoriesOverTime
from memoryplatform_client.models.banks import Bank, BankConfig, BankDeleted, EmbeddingModel
from memoryplatform_client.models.operations import Operation
from memoryplatform_client.models.retention import MaintenanceStarted
from memoryplatform_client.options.banks import BankEdit, NewBankFields, SettingFields
from memoryplatform_client.options.lists import BankFilter, TimeseriesOptions
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


def start_maintenance(bank_id: str, key: str | None) -> Call[MaintenanceStarted]:
    return submit(path_of("banks", bank_id, "tend"), reader(MaintenanceStarted), {"idempotency_key": key})


def step_embedding_model(bank_id: str, step: str, key: str | None) -> Call[Operation]:
    return submit(path_of("banks", bank_id, "embedding-model", step), reader(Operation), {"idempotency_key": key})


class Banks(Resource[S_co]):
    @route
    def create(self, bank_id: str | None = None, **fields: Unpack[NewBankFields]) -> Call[Bank]:
        """Without an id the service generates one."""
        return submit("/banks", tagged_reader(Bank), {**without_none(bank_id=bank_id), **fields})

    @route
    def get(self, bank_id: str) -> Call[Bank]:
        return fetch(path_of("banks", bank_id), tagged_reader(Bank))

    @listed
    def list(self, **wanted: Unpack[BankFilter]) -> Listing[Bank]:
        return list_of("/banks", Bank, wanted, rows="banks")

    @route
    def update(self, bank_id: str, **fields: Unpack[BankEdit]) -> Call[Bank]:
        return change(path_of("banks", bank_id), tagged_reader(Bank), fields)

    @route
    def delete(self, bank_id: str, *, if_match: str | None = None) -> Call[BankDeleted]:
        """Delete the bank for good. Its id is free at once. The result of the returned operation is the receipt.

        `if_match` is the `etag` that was read.
        """
        return remove(path_of("banks", bank_id), reader(BankDeleted), if_match=if_match)

    @route
    def run_maintenance(self, bank_id: str, *, idempotency_key: str | None = None) -> Call[MaintenanceStarted]:
        """Run the bank's nightly maintenance now. `operations.wait` waits for the returned operation."""
        return start_maintenance(bank_id, idempotency_key)

    @route
    def tend(self, bank_id: str, *, idempotency_key: str | None = None) -> Call[MaintenanceStarted]:
        """Deprecated alias of `run_maintenance`."""
        return start_maintenance(bank_id, idempotency_key)

    @route
    def stats(self, bank_id: str) -> Call[BankStats]:
        return fetch(path_of("banks", bank_id, "stats"), reader(BankStats))

    @route
    def timeseries(self, bank_id: str, **wanted: Unpack[TimeseriesOptions]) -> Call[MemoriesOverTime]:
        """The number of new memories in each time step."""
        return fetch(path_of("banks", bank_id, "stats", "memories-timeseries"), reader(MemoriesOverTime), wanted)

    @route
    def config(self, bank_id: str) -> Call[BankConfig]:
        return fetch(path_of("banks", bank_id, "config"), tagged_reader(BankConfig))

    @route
    def update_config(self, bank_id: str, updates: SettingFields, *, if_match: str | None = None) -> Call[BankConfig]:
        """`if_match` is the `etag` of the settings or of the bank, as it was read."""
        fields = {"updates": updates, **without_none(if_match=if_match)}
        return change(path_of("banks", bank_id, "config"), tagged_reader(BankConfig), fields)

    @route
    def reset_config(self, bank_id: str, *, if_match: str | None = None) -> Call[BankConfig]:
        """Reset all settings to their defaults and empty the background. `if_match` is the `etag` that was read."""
        return remove(path_of("banks", bank_id, "config"), tagged_reader(BankConfig), if_match=if_match)

    @route
    def embedding_model(self, bank_id: str) -> Call[EmbeddingModel]:
        """The model of the bank's vectors, and the state of its change."""
        return fetch(path_of("banks", bank_id, "embedding-model"), reader(EmbeddingModel))

    @route
    def change_embedding_model(
        self,
        bank_id: str,
        model: str,
        *,
        switch: Literal["auto", "manual"] = "manual",
        least_overlap: float = 0.0,
        idempotency_key: str | None = None,
    ) -> Call[Operation]:
        """Make vectors of another model beside those in use. The key needs the scope admin, as for all that follows."""
        given = {"model": model, "switch": switch, "least_overlap": least_overlap, "idempotency_key": idempotency_key}
        return submit(path_of("banks", bank_id, "embedding-model"), reader(Operation), given)

    @route
    def abandon_embedding_model(self, bank_id: str) -> Call[Operation]:
        """Give up a change before the switch."""
        return remove(path_of("banks", bank_id, "embedding-model"), reader(Operation))

    @route
    def switch_embedding_model(self, bank_id: str, *, idempotency_key: str | None = None) -> Call[Operation]:
        """Use the next model. The former vectors are kept."""
        return step_embedding_model(bank_id, "switch", idempotency_key)

    @route
    def roll_back_embedding_model(self, bank_id: str, *, idempotency_key: str | None = None) -> Call[Operation]:
        """Use the former model again."""
        return step_embedding_model(bank_id, "rollback", idempotency_key)

    @route
    def finish_embedding_model(self, bank_id: str, *, idempotency_key: str | None = None) -> Call[Operation]:
        """Delete the vectors of the former model."""
        return step_embedding_model(bank_id, "finish", idempotency_key)
