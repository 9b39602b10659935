"""Several workspaces that install the bot by themselves: how they do, and whose tokens count."""
