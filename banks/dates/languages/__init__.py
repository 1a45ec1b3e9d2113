"""The common time expressions of other languages: a table of words each, one grammar for all that write with spaces.

A new language needs, beside its table here (a `Vocabulary`, or rules of its own as Chinese and Japanese have):

- choose.py: its code and its table;
- dateparser_languages.py: not to stand in `_BY_WORDS` or `_BY_SCRIPT` any more, which leave it to the library;
- banks/dates/english/ranges.py and years.py: its words for two years ("2019 bis 2021") and before one, since years
  tell no language;
- banks/dates/window.py: `_JOINED`, its words for "and" and "or";
- banks/dates/countdown.py and names.py: how it counts the days to one, its titles and its streets;
- its verbs, as in german_verbs.py, and banks/dates/tense.py: without, an ambiguous time is the past one;
- retrieval/query/stop_words.py: its stop words, which tell the language of a query;
- retrieval/query/language.py: its script, where it is not Latin;
- retrieval/query/cues.py: what tells the type of a question, and that it asks how things were;
- retrieval/query/before_cues.py and history.py: its words around "before", and those of a time that is over;
- tests/banks/dates/test_ranges_of_languages.py: its ranges.
"""
