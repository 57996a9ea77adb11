"""The stability region: where the centre of mass may be on the contacts that there are, and its gradients."""
