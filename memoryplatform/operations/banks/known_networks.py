"""The networks of what is known. Opinions are believed, and routes of their own show them."""

from banks.words import Network

KNOWN = (Network.EXPERIENCE.value, Network.OBSERVATION.value, Network.WORLD.value)
