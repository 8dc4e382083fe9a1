"""Type aliases of the NumPy arrays that functions take and return."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int32]
Bounds: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
