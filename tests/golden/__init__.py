"""Small jobs of every kind whose output is stored: what they print and write stays the same, to the byte."""
