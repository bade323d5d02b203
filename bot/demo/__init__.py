"""The bundled feeds and the small server that the demo reads them from."""
