"""Durable background work: one small port, engines behind it."""
