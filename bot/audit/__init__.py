"""The record, for those who look at it from outside: printed, verified, and told to other tools."""
