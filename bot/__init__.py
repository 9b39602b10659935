"""The public face of the approval bot."""
