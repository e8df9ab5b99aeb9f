"""The built-in AMR parser: two small networks on frozen features."""
