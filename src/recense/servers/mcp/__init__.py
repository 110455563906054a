"""MCP: the door for models, over stdio and streamable HTTP."""
