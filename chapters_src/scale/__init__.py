"""Beyond one machine: training on several devices at once."""
