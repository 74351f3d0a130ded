"""Questions about the rows of a job, in the terminal, in the browser and for programs."""
