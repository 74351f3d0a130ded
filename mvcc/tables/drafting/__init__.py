"""From files as people have them to a job: what each file is, and a config to begin with."""
