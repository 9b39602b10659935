"""What Alembic runs: the revisions, on the connection and in the transaction that `schema` hands in."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
