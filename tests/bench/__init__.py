"""Figures as ratios against a raw limit measured in the same run; ``make bench`` prints them as a table."""
