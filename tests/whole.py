"""Whether long tests run in full: `WHOLE=1 pytest`. Without it each runs a fixed part of itself."""

import os
from typing import Final

WHOLE: Final = os.environ.get("WHOLE") == "1"
