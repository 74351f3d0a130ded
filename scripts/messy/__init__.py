"""Tables as people have them, beside the same tables cleaned by hand."""
