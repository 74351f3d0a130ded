"""Tables that are folders of Parquet files: a sample is clustered, and workers label all rows."""
