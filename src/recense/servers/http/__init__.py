"""The HTTP server: `recense serve`. Litestar routes, uvicorn serves (the extra ``server``)."""
