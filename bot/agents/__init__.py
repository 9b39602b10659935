"""The agent behind the threads. The only package that knows LangChain and LangGraph."""
