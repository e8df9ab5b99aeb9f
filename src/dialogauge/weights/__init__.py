"""The weights that ship: ``models/NAME/`` with config, ONNX graph, card and manifest each."""
