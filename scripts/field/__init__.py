"""The field's scorecard: its benchmarks by its protocols, beside other methods and figures.

python -m scripts.field             measures what is not in results/field yet
python -m scripts.field.page        writes results/field.md, whose end has all commands
"""
