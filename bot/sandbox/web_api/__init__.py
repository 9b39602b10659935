"""Slack's Web API: one module per family of methods."""
