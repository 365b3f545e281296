"""The share of wrong positions by number of hops and of layers."""

from experiments.attention._hop_picture import picture

PICTURES = (picture("strict"),)
