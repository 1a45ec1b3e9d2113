"""The pages for customers: accounts, tenants, members, keys, usage."""
