"""The laboratory: all that measures, studies, draws and proposes; a session never imports it."""
