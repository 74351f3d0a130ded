"""The field's scorecard: its benchmarks by its protocols, beside other methods and published
figures.

python -m scripts.field                          measures what is not in results/field yet
python -m scripts.field --methods peers
    the same for other packages, in an environment of their own
python -m scripts.field.page                     writes results/field.md
"""
