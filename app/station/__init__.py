"""The operator station: a process that reads a device and shows pictures."""
