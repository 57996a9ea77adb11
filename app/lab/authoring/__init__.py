"""What is done before a session: robots proposed and checked, motions tried."""
