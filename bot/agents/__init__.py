"""Agents: the only package that knows langchain and langgraph."""
