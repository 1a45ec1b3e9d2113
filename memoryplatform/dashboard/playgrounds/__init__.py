"""Pages on which people try a bank: recall with its trace, reflect as a stream, and a chat.

A folder of its own, because it imports the API's serializers and the API imports `dashboard.access`.
"""
