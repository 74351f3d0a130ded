"""What each cluster is, and which rows show it."""
