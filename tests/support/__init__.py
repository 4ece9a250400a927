"""The tools of the test suite: DuckDB as peer, catalog databases, recorded lakes, comparison."""
