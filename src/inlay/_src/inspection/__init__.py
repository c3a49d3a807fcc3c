"""Programs looked at: pictures, a checker of functions, record and replay."""
