from typing import Unpack

from memoryplatform_client.calls import Call, fetch, reader
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.episodes import EpisodeDetail, FoundEpisode
from memoryplatform_client.options.lists import EpisodeFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class Episodes(Resource[S_co]):
    @listed
    def list(self, bank_id: str, **wanted: Unpack[EpisodeFilter]) -> Listing[FoundEpisode]:
        return list_of(path_of("banks", bank_id, "episodes"), FoundEpisode, wanted)

    @route
    def get(self, bank_id: str, episode_id: Id) -> Call[EpisodeDetail]:
        return fetch(path_of("banks", bank_id, "episodes", episode_id), reader(EpisodeDetail))
