from banks.dates.languages.vocabulary import Vocabulary, feasts, folded, grouped, numbered, phrases

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
        "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf", "vingt",
    ) | folded({"trente": 30, "quarante": 40, "cinquante": 50, "cent": 100}),
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
    ambiguous=frozenset({"hier", "noel"}),
    foreign=frozenset({"ist", "was", "wir", "ich", "und", "das", "die", "der", "wo", "sind", "gibt", "bin", "war"}),
    before_last=phrases("avant-dernier|avant-dernière"),
    ordinals=numbered(
        "premier première 1er 1ere", "deuxième second seconde 2e 2eme", "troisième 3e 3eme", "quatrième 4e 4eme",
        "cinquième 5e 5eme",
    ) | {"dernier": -1, "derniere": -1},
    feasts=feasts(
        christmas="Noël", christmas_eve="réveillon de Noël|veille de Noël", easter="Pâques", pentecost="Pentecôte",
        easter_monday="lundi de Pâques", new_year="nouvel an|jour de l'an", all_saints="Toussaint",
        epiphany="Épiphanie",
    ) | {"saint-sylvestre": "new year's eve"},
)  # fmt: skip
