"""Plans as generated source."""
