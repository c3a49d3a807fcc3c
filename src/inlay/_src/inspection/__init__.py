"""Programs looked at: record and replay."""
