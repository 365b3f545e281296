"""Studies: training grids from configuration files, their cells, records and figures."""
