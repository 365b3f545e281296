"""Claims on temporal logic, counting and the depth of masked attention."""
