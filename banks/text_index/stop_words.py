"""English words without content. Contractions have no apostrophe here."""

_ENGLISH = """
a about above after again against all also am an and any are arent as at be because been before being below between
both but by can cant could couldnt did didnt do does doesnt doing dont down during each eg few for from further had
hadnt has hasnt have havent having he her here hers herself him himself his how i ie if in into is isnt it its
itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own same
she should shouldnt so some such than that the their theirs them themselves then there these they this those through
to too under until up us very was wasnt we were werent what when where which while who whom why will with wont would
wouldnt you your yours yourself yourselves
"""

STOP_WORDS = frozenset(_ENGLISH.split())
