"""French for the sentences of the program, by where they come from; ``web.french`` says how a template is written."""
