"""Input that people do have and nobody wishes for, against every method of the registry."""
