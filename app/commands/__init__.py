"""The commands of ``handhold``, one file each: every module has a ``command`` and imports heavy packages late."""
