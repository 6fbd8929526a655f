"""The control API under ``/_sim/v1``: what a person or a script sees and steers of the simulator itself."""
