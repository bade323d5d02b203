"""The pure core: every function is a function of its arguments. No I/O, no clock, no randomness."""
