"""An ONNX Runtime session: threads from the cores, the provider that was asked for.

Each batch runs on one core and several batches run at once, because most steps of a small
transformer are too short to be worth dividing: 1.2 times the throughput of two threads a batch.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, UnknownNameError
from . import graphs
from .external import refuse_other_files

if TYPE_CHECKING:
    from concurrent.futures import Future

#: What we call an execution provider -> what ONNX Runtime calls it.
_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}

Floats = NDArray[np.float32]
Item = TypeVar("Item")
Result = TypeVar("Result")


#: Where the data of a graph lies that is given as bytes.
_FOLDER = "session.model_external_initializers_file_folder_path"


class Session:
    """A graph that is ready to run; ``inner`` names a tensor inside it that is asked for, too."""

    def __init__(
        self, model: Path, provider: str = "cpu", threads: int = 0, inner: str = ""
    ) -> None:
        import onnxruntime

        if provider not in _PROVIDERS:
            raise UnknownNameError("execution provider", provider, _PROVIDERS)
        if _PROVIDERS[provider] not in onnxruntime.get_available_providers():
            raise ModelError(f"this onnxruntime cannot use {provider}: install onnxruntime-gpu")
        refuse_other_files(model)
        self._model = model
        self._workers = (threads if threads > 0 else cores()) if provider == "cpu" else 1
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4  # what goes wrong is raised; it need not be printed as well
        options.add_session_config_entry(_FOLDER, str(model.parent))
        try:
            self._session = onnxruntime.InferenceSession(
                model.read_bytes() + graphs.output(inner) if inner else str(model),
                options,
                providers=[_PROVIDERS[provider]],
            )
        except Exception as error:  # onnxruntime's errors have no common class
            inside = f"no graph that can be run, or none with {inner} inside"
            problem = inside if inner else "not a graph that can be run"
            raise self._broken(problem, error) from None
        self.inputs = {each.name for each in self._session.get_inputs()}
        self.outputs = {each.name for each in self._session.get_outputs()}

    def run(self, output: str, inputs: Mapping[str, Any]) -> Floats:
        """One output of the graph."""
        return self.run_all([output], inputs)[0]

    def run_all(self, outputs: Sequence[str], inputs: Mapping[str, Any]) -> list[Floats]:
        """Several outputs of the graph."""
        try:
            results: Sequence[Any] = self._session.run(list(outputs), dict(inputs))
        except Exception as error:  # as above
            raise self._broken("the graph cannot be run on this", error) from None
        return [np.asarray(each, dtype=np.float32) for each in results]

    def refuse_undefined(self, values: NDArray[np.floating]) -> None:
        """An error if any of the values is NaN or infinite, given that all inputs were numbers."""
        if not np.isfinite(values).all():
            problem = "gives NaN or infinity for ordinary text: its weights are damaged"
            raise ModelError(f"{self._model}: {problem}: get or train the model again")

    def over(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """``map(work, items)``, as many at once as there are threads, and only a few ahead."""
        if self._workers == 1:
            yield from map(work, items)
            return
        from concurrent.futures import ThreadPoolExecutor

        waiting: deque[Future[Result]] = deque()
        with ThreadPoolExecutor(self._workers) as pool:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * self._workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def _broken(self, problem: str, error: Exception) -> ModelError:
        return ModelError(f"{self._model}: {problem}: {' '.join(str(error).split())[:300]}")


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def cpu_arithmetic() -> str:
    """The instructions that int8 products are made of: they round differently.

    Processors without VNNI add pairs of products in 16 bits, where large ones saturate.
    """
    try:
        info = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return "unknown"
    flags = set(info.partition("flags")[2].partition("\n")[0].split())
    if flags & {"avx512_vnni", "avx_vnni"}:
        return "vnni"
    return "avx2" if "avx2" in flags else "other"
