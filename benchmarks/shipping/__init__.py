"""What is shipped: licences and vulnerabilities of the lock, and a compiled copy of `redact`."""
