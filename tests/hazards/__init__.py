"""LangGraph's and Slack's hazards, in pairs: without the bot each one still shows, behind the bot it is safe.

`table` lists them; a test without the bot that fails says that upstream has changed, and which module of
ours has less to do now.
"""
