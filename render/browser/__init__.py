"""The same scenes on a page in the browser."""
