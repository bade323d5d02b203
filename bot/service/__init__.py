"""The bot as a service of systemd: what it tells its manager, and how it is installed."""
