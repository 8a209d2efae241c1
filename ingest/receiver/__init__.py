"""The receivers over HTTP and gRPC, who may send to them, and the write-ahead log."""
