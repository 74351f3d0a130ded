"""Small jobs of every kind whose output is stored, and stays the same to the byte."""
