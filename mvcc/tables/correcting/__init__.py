"""Corrections of a clustering by a person: a log like that of answers, and what follows from it."""
