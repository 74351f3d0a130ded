"""Questions about the rows of a job, for a person in the terminal or the browser, and for
programs.
"""
