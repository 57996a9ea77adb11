"""From the operator's samples to commands: clutch, filters, refusals, stops."""
