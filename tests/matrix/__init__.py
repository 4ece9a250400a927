"""What works, and the test that shows each of it: the rows of `jvm/docs/capabilities.md`."""
