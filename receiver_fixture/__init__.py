"""The reference merchant receiver: what the provider recommends, built once and right (contract §1.12).

Hosts import ``receiver_fixture.receiver.Receiver`` and ``receiver_fixture.settings.Settings``; ``python -m
receiver_fixture`` runs the same thing as a process. Nothing here knows the sender: the signature code, the envelope
check and the clock are the receiver's own, so that an error of the sender cannot hide behind the same error here.
"""
