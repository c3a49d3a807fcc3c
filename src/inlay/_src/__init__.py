"""The implementation, in rooms: a room imports from itself and from those before it in `docs/architecture.md`."""
