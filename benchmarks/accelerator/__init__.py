"""What one accelerator does with this project, in minutes: ``python -m benchmarks.accelerator``."""
