"""A local Slack: its public protocol on real sockets, for trying out and for tests."""
