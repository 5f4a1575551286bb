"""REST and WebSocket over a Reader. Here: routes, tokens and scopes, reporting profiles, OpenAPI and AsyncAPI, the
server with TLS. Not here: where the data comes from (a Reader), and any way to change something: routes only read.
"""
