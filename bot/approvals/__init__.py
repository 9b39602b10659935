"""The heart: approvals, decisions and the policy, on the standard library alone."""
