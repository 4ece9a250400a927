"""What one can do from Python with this and with other libraries, as code that is run."""
