"""The checkout page, where ``payment_url`` leads: a payer's view of one invoice, with the sandbox's buttons."""
