"""What a clustering writes, and what is made of it afterwards."""
