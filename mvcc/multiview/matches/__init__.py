"""Which matches seem to be wrong, and which are likely."""
