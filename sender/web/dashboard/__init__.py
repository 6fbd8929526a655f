"""The dashboard: pages made on the server, which show what the sender does and steer it."""
