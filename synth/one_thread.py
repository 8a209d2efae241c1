"""Linear algebra on one thread: sums in another order end in other digits, and how many threads there are depends on the machine.

Goes out: a context. What scikit-learn fits inside it comes out the same wherever it is fitted. Not here: what is fitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS and OpenMP to one thread."""
    # Local imports: scikit-learn takes 1 s; only libraries that are loaded already can be limited.
    import sklearn.cluster  # noqa: PLC0415
    import sklearn.decomposition  # noqa: PLC0415
    import sklearn.linear_model  # noqa: F401, PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    with threadpool_limits(limits=1):
        yield
