"""Reports of facts that a test has made or changed."""

from mvcc.reporting import html
from mvcc.results import parse_facts


def write_clustering_report(facts, path):
    """Write the report of facts, as ``clustering.json`` holds them."""
    html.write_clustering_report(parse_facts(facts), path)
