"""Everything over HTTP: the merchant API, the control API, and the door for dashboard and checkout page."""
