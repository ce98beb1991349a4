"""What search libraries return: one module a shape; none of these libraries is imported."""
