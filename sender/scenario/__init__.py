"""Stories in YAML: the language they are written in, the runner and the reports."""
