"""Slack: the only package that knows slack_bolt and slack_sdk."""
