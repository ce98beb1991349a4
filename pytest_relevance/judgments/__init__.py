"""Read and write graded judgments in every format of the field, and combine ratings."""
