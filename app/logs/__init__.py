"""A session's log: MCAP of every cycle and event, its replay, and the upkeep of the folder of logs."""
