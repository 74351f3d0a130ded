"""Measure fits, E-steps and whole runs beside other implementations, side by side in one run.

python -m scripts.bench              # prints the table, writes results/benchmarks.csv and .png
python -m scripts.bench.shapes       # fits of other shapes alone
python -m scripts.bench.stages       # where the time of a trial goes
python -m scripts.bench.growth       # how clustering two views grows with their rows
python -m scripts.bench.limits       # what limits it
python -m scripts.bench.beyond       # what a billion rows would take
python -m scripts.bench.commands     # how long every command takes
"""
