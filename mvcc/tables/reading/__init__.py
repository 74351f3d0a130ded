"""People's files: read, checked, and each column known for what it is."""
