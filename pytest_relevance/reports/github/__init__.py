"""What GitHub Actions reads in the output of a job: annotations, and commands that user text must not become."""
