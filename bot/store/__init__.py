"""Rows: the only package that knows SQLAlchemy."""
