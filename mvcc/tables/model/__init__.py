"""The model of a clustering that new rows are given to, and the file that holds it."""
