"""A device that is not there, so that what would stop on a GPU stops here too."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

#: What tensors on the pretended device say when they are asked where they are.
DEVICE = torch.device("meta")

PACKED = {"_pack_padded_sequence", "_pad_packed_sequence"}
#: What takes numbers from the CPU: lengths, and places to look at.
MIXED = {*PACKED, "lstm", "__getitem__"}


class PretendedGpu(TorchFunctionMode):
    """Tensors are here or there; operations on some of both are errors, as they are on a GPU."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name, kwargs = func.__name__, dict(kwargs or {})
        tensors = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
        there = any(is_there(each) for each in tensors)
        if func == Tensor.device.__get__:
            return DEVICE if there else torch.device("cpu")
        if name == "numpy" and there:
            raise TypeError("can't convert a tensor of a device to numpy: use .cpu() first")
        if name == "cpu":
            return args[0].clone()
        if name == "to" and any(isinstance(each, torch.device) for each in args):
            return put(args[0].clone()) if DEVICE in args else args[0].clone()
        if kwargs.get("device") == DEVICE:
            there = bool(kwargs.pop("device"))
        self._check(name, tensors)
        result = func(*args, **kwargs)
        # What else packed sequences come with is on the CPU: lengths.
        results = tree_leaves(result)[: 1 if name in PACKED else None]
        for each in results if there else ():
            if isinstance(each, Tensor):
                put(each)
        return result

    def _check(self, name: str, tensors: list[Tensor]) -> None:
        """Scalars may be anywhere."""
        wide = [each for each in tensors if each.dim()]
        mixed = len({is_there(each) for each in wide}) > 1
        if mixed and not (name in MIXED and is_there(wide[0])):
            raise RuntimeError(f"{name}: expected all tensors to be on the same device")


def is_there(tensor: Tensor) -> bool:
    return getattr(tensor, "_there", False)


def put(tensor: Tensor) -> Tensor:
    tensor._there = True
    return tensor


def put_network(network: nn.Module) -> None:
    """What ``network.to(device)`` does."""
    for tensor in (*network.parameters(), *network.buffers()):
        put(tensor)
