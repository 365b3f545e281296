"""How a benchmark breaks off a training that it has watched for long enough."""


class Enough(Exception):
    """What watches a training raises this to break it off."""
