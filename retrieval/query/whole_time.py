"""Whether a query asks for all of a time and names no matter: "What happened on 24 April?"."""

import re

from banks.dates import TimeWindow
from banks.dates.fold import fold_word
from retrieval.query.stop_words import ALL_STOP_WORDS, words

WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
# What such questions are made of besides the time and what carries no matter anywhere, by language.
ASKING = frozenset[str]().union(
    words(
        "anything catch discuss discussed discussing done else event events everything exactly give go goes going "
        "happen happened happening happens important know like list new notable occur occurred overview place please "
        "plan planned planning plans recall recap remember say said scheduled show something special spend spent "
        "summarise summarize summary take taken talk talked talking tell thing things told took went"
    ),
    words(
        "alles anstand besprochen bitte ereignet ereignisse erlebt erzähl erzähle etwas fassen fasse gab geplant "
        "geredet geschah geschehen gemacht gesprochen getan ging irgendetwas irgendwas liste los mach mache machen "
        "machte machten nenne neues passiert passierte sag sage tat unternommen vor zeig zeige zusammen "
        "zusammenfassung ding dinge"
    ),
    words(
        "arrivé arrive chose choses dis discuté événement événements évènements faire faisais fis liste montre neuf "
        "parlé passé passe prévu quelque raconte résume résumé s'est tout"
    ),
    words(
        "acontecimientos contar cosas cuéntame dime eventos hablamos hacer haciendo hecho hice hicimos hiciste hizo "
        "muéstrame ocurrió ocurrido pasa pasado pasó planeado resumen sucedió sucedido todo"
    ),
    words(
        "accaduto accadde avvenuto combinato cose dimmi elenca eventi fatto facevo feci mostrami parlato qualcosa "
        "raccontami riassumi riassunto succede succedeva successe successo tutto"
    ),
    words(
        "aconteceram aconteceu acontecimentos algo coisas conta conte diga diz eventos falamos fazer feito fez fiz "
        "fizemos fizeste houve mostra ocorreu passou resumo sucedeu tudo"
    ),
    words("alles besproken deden deed dingen doen gebeurd gebeurde gebeurtenissen gedaan gepland gesproken iets "
          "samenvatting toon vertel"),
)  # fmt: skip


def asks_for_whole_time(text: str, window: TimeWindow) -> bool:
    """Outside of the window's own words nothing is left that a memory could be about."""
    start, end = window.span
    rest = f"{text[:start]} {text[end:]}"
    left = map(fold_word, WORD.findall(rest))
    return all(word in ALL_STOP_WORDS or word in ASKING for word in left)
