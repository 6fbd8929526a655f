"""The description of the merchant API in OpenAPI 3.1, made from the operations, models and data that answer."""
