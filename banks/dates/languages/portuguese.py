from banks.dates.languages.vocabulary import Vocabulary, feasts, folded, grouped, numbered, phrases

PORTUGUESE = Vocabulary(
    months=numbered(
        "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
        "novembro", "dezembro",
    ),
    weekdays=numbered(
        "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo", first=0
    ),
    days={"hoje": 0, "ontem": -1, "anteontem": -2, "amanha": 1, "depois de amanha": 2},
    units=grouped(
        second="segundo segundos", minute="minuto minutos", hour="hora horas", day="dia dias", week="semana semanas",
        month="mês meses", quarter="trimestre", year="ano anos", decade="década",
    ) | {"fim de semana": "weekend", "final de semana": "weekend"},
    seasons={"primavera": 3, "verao": 6, "outono": 9, "inverno": 12},
    numbers=numbered(
        "um uma", "dois duas", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze",
        "treze", "catorze quatorze", "quinze", "dezesseis dezasseis", "dezessete dezassete", "dezoito",
        "dezenove dezanove", "vinte",
    ) | folded({"trinta": 30, "quarenta": 40, "cinquenta": 50, "cem": 100}),
    last=phrases("passado|passada|passados|passadas|último|última|últimos|últimas|anterior"),
    this=phrases("este|esta|deste|desta|neste|nesta"),
    next=phrases("próximo|próxima|próximos|próximas|que vem|seguinte"),
    ago_before=phrases("há|faz"),
    ago_after=phrases("atrás"),
    ahead_before=phrases("em|daqui a|dentro de"),
    in_month=phrases("em|mês de|durante|de"),
    early=phrases("início|no início|começo|no começo"),
    mid=phrases("meados|em meados"),
    late=phrases("fim|no fim|final|no final"),
    coming=phrases("que vem"),
    between=phrases("entre|de|desde"),
    to=phrases("e|a|até"),
    since=phrases("desde|a partir de"),
    before=phrases("antes de|antes do"),
    after=phrases("depois de|após"),
    until=phrases("até"),
    date_glue=phrases("a|ao"),
    articles=phrases("o|a|os|as|o dia|dia"),
    links=phrases("da|no|na"),
    of=phrases("de|do"),
    day_suffixes=phrases("º"),
    year_word=phrases("ano|o ano|em"),
    before_last=phrases("retrasado|retrasada|penúltimo|penúltima"),
    ordinals=numbered(
        "primeiro primeira", "segundo segunda", "terceiro terceira", "quarto quarta", "quinto quinta",
    ) | {"ultimo": -1, "ultima": -1},
    feasts=feasts(
        christmas="o Natal|no Natal|do Natal|ao Natal", christmas_eve="véspera de Natal", easter="Páscoa",
        new_year="Ano Novo", good_friday="Sexta-feira Santa",
    ) | {"reveillon": "new year's eve"},
)  # fmt: skip
