"""MaUdE and its family: the response that was given against broken and foreign ones."""
