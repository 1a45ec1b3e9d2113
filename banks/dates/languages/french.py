from banks.dates.languages.vocabulary import Vocabulary, grouped, numbered, phrases

FRENCH = Vocabulary(
    months=numbered(
        "janvier janv", "février fevr", "mars", "avril", "mai", "juin", "juillet juil", "août", "septembre",
        "octobre", "novembre", "décembre",
    ),
    weekdays=numbered("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche", first=0),
    days={
        "aujourd'hui": 0, "aujourd hui": 0, "aujourdhui": 0, "hier": -1, "avant-hier": -2, "avant hier": -2,
        "demain": 1, "apres-demain": 2, "apres demain": 2,
    },
    units=grouped(
        second="seconde secondes", minute="minute minutes", hour="heure heures", day="jour jours",
        week="semaine semaines", weekend="week-end weekend week-ends", month="mois", quarter="trimestre",
        year="an ans année années", decade="décennie",
    ),
    seasons={"printemps": 3, "ete": 6, "automne": 9, "hiver": 12},
    numbers=numbered(
        "un une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze",
    ),
    last=phrases("dernier|dernière|derniers|dernières|passé|passée|précédent|précédente"),
    this=phrases("ce|cet|cette|en cours"),
    next=phrases("prochain|prochaine|prochains|prochaines|suivant|suivante"),
    ago_before=phrases("il y a"),
    ahead_before=phrases("dans"),
    in_month=phrases("en|au mois de|mois de|fin|début|mi|de"),
    between=phrases("entre|de|du"),
    to=phrases("et|à|au|jusqu'en|jusqu'à|jusqu'au"),
    since=phrases("depuis|depuis le|à partir de|à partir du"),
    before=phrases("avant|avant le"),
    after=phrases("après|après le"),
    until=phrases("jusqu'en|jusqu'à|jusqu'au"),
    year_word=phrases("année|l'année|en"),
    ambiguous=frozenset({"hier"}),
    foreign=frozenset({"ist", "was", "wir", "ich", "und", "das", "die", "der", "wo", "sind", "gibt", "bin", "war"}),
)  # fmt: skip
