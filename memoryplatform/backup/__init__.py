"""Backup and restore of the whole database, online.

A backup is a ZIP file with two members: `database.dump`, an archive of pg_dump, and `manifest.json`. Counts and dump
read one snapshot, so both describe the same moment while the service writes. With a passphrase the ZIP file is
encrypted as it is written and decrypted as it is read, so that no plain file lies on the disk.

The platform's role makes the backup, because row-level security hides the rows from the owner. The owner restores: it
loads the rows before the archive enables row-level security, in one transaction with all checks.
"""
