"""The offline stand-in: turns plain imperative sentences into tool calls, without any model."""
