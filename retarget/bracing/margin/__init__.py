"""Retargeting that minds the stability margin: previews of contacts, gradients, and what they change."""
