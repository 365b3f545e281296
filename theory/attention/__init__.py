"""What attention can and cannot do: separation rank, rank collapse, Dyck languages."""
