"""Files as streams of records: opened, decompressed on the way, and read one record after the other."""
