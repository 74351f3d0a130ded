"""Questions to a person, whose answers become groups and constraints."""
