"""Encoders: a pretrained one by package, folder or hub name, exported and quantised."""
