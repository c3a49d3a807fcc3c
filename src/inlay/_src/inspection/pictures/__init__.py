"""Pictures of programs: as data, as static SVG, as a page with scopes that fold."""
