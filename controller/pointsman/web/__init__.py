"""The signal box in a browser: thin routes, one websocket, sessions and roles. The only place that knows HTTP."""
