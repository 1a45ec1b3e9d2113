"""How opinions come about: by an answer or by what the agent said. One that is there already is joined or revised."""
