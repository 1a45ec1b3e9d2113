from banks.dates.languages.vocabulary import Vocabulary, feasts, folded, grouped, numbered, phrases

SPANISH = Vocabulary(
    months=numbered(
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre setiembre", "octubre",
        "noviembre", "diciembre",
    ),
    weekdays=numbered("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo", first=0),
    days={
        "hoy": 0, "ayer": -1, "anteayer": -2, "antes de ayer": -2, "pasado manana": 2, "manana": 1, "esta manana": 0,
    },
    morning="manana",
    morning_leads=frozenset(phrases("la|una|cada|esa|aquella|misma|media|buena")),
    units=grouped(
        second="segundo segundos", minute="minuto minutos", hour="hora horas", day="día días", week="semana semanas",
        month="mes meses", quarter="trimestre", year="año años", decade="década",
    ) | {"fin de semana": "weekend", "fines de semana": "weekend"},
    seasons={"primavera": 3, "verano": 6, "otono": 9, "invierno": 12},
    numbers=numbered(
        "un una uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once",
        "doce", "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve", "veinte",
    ) | folded({"treinta": 30, "cuarenta": 40, "cincuenta": 50, "cien": 100}),
    last=phrases("pasado|pasada|pasados|pasadas|último|última|últimos|últimas|anterior"),
    this=phrases("este|esta|estos|estas|en curso"),
    next=phrases("próximo|próxima|próximos|próximas|que viene|siguiente"),
    ago_before=phrases("hace"),
    ago_after=phrases("atrás"),
    ahead_before=phrases("en|dentro de"),
    in_month=phrases("en|durante|mes de|de"),
    early=phrases("principios|a principios|comienzos|a comienzos|inicios|a inicios"),
    mid=phrases("mediados|a mediados"),
    late=phrases("finales|a finales|fines|a fines"),
    coming=phrases("que viene"),
    between=phrases("entre|de|desde|del"),
    to=phrases("y|a|al|hasta"),
    since=phrases("desde|desde el|a partir de|a partir del"),
    before=phrases("antes de|antes del"),
    after=phrases("después de|después del"),
    until=phrases("hasta|hasta el"),
    date_glue=phrases("a|al"),
    articles=phrases("el|la|los|las|el día|día"),
    links=phrases("en"),
    of=phrases("de|del"),
    day_suffixes=phrases("º"),
    year_word=phrases("año|el año|en"),
    before_last=phrases("antepasado|antepasada"),
    ordinals=numbered(
        "primer primero primera", "segundo segunda", "tercer tercero tercera", "cuarto cuarta", "quinto quinta",
    ) | {"ultimo": -1, "ultima": -1},
    feasts=feasts(
        christmas="Navidad", christmas_eve="Nochebuena", easter="Pascua|domingo de Pascua", new_year="Año Nuevo",
        good_friday="Viernes Santo", epiphany="día de Reyes|noche de Reyes",
    ) | {"nochevieja": "new year's eve"},
)  # fmt: skip
