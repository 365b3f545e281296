"""How long networks are followed, which also says which groups and lengths there are."""

# simulated time: both irreps have started
HORIZON = {
    ("S3", 2): 19.0,
    ("S3", 3): 39.0,
    ("C6", 2): 19.0,
    ("Q8", 2): 30.0,
    ("A4", 2): 76.0,
    ("C7:C3", 2): 178.0,
    ("S4", 2): 216.0,
    ("A5", 2): 1060.0,
}
