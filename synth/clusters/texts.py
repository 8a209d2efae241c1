"""Groups of failures by what users wanted: text only, for failures that no fingerprint groups.

Facets in (values already taken out), groups or the nearest known group out. Character TF-IDF, a small SVD and
average-linkage clustering by cosine: deterministic, offline, no model. Not here: fingerprints, ids, names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from environments.runtime.values.grouping import by_key
from synth.clusters.names import terms_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Vectors = NDArray[np.float64]

PAIRWISE_LIMIT: Final = 3000
"""Above this, k-means makes the pieces first: average linkage keeps a full distance matrix (72 MB here)."""
_DIMENSIONS: Final = 20
_SEED: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestText:
    """The known text that is closest to a new one."""

    index: int
    similarity: float


def embed(facets: Sequence[str]) -> Vectors:
    """Unit vectors of the facets, in a space fitted on these facets; all zero for a facet without words."""
    terms = [terms_of(facet) for facet in facets]
    words = [" ".join(term for term in found if " " not in term) for found in terms]
    if len(facets) < 2 or not any(words):
        return np.zeros((len(facets), 1))
    # Local imports, here and below: see `clusters.names`.
    from scipy.sparse import csr_matrix, hstack  # noqa: PLC0415
    from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    matrix = csr_matrix(hstack([_weighed(terms, lambda terms: terms), _weighed(words, "char_wb")]))
    rows, columns = matrix.get_shape()
    width = min(_DIMENSIONS, columns - 1, rows - 1)
    if width < 2:
        return np.asarray(normalize(matrix.toarray()), dtype=np.float64)
    # scikit-learn divides by the variance, which equal texts do not have
    with np.errstate(invalid="ignore", divide="ignore"):
        reduced = TruncatedSVD(n_components=width, random_state=_SEED).fit_transform(matrix)
    spoken = np.array([[1.0 if found else 0.0] for found in words])
    return np.asarray(normalize(reduced * spoken), dtype=np.float64)


def _weighed(texts: Sequence[list[str]] | Sequence[str], analyzer: object) -> csr_matrix:
    """TF-IDF without what stands in nearly every text, unless that leaves nothing."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415

    for most in (0.7, 1.0):
        weigh = TfidfVectorizer(
            analyzer=analyzer,  # pyright: ignore[reportArgumentType] - scikit-learn documents a callable
            ngram_range=(3, 5) if analyzer == "char_wb" else (1, 1),
            sublinear_tf=True,
            max_df=most,
        )
        try:
            return csr_matrix(weigh.fit_transform(texts))
        except ValueError:  # scikit-learn's word for an empty vocabulary
            continue
    return csr_matrix((len(texts), 1))


def group(vectors: Vectors, *, distance: float) -> list[list[int]]:
    """Groups of indexes whose average cosine distance stays below `distance`, largest first."""
    rows = [i for i in range(len(vectors)) if np.any(vectors[i])]
    if len(rows) < 2:
        return [[i] for i in rows]
    labels = _labels(vectors[rows], distance)
    groups = by_key((int(label), row) for row, label in zip(rows, labels, strict=True))
    return sorted(groups.values(), key=lambda g: (-len(g), g))


def _labels(points: Vectors, distance: float) -> NDArray[np.int64]:
    if len(points) <= PAIRWISE_LIMIT:
        return _linkage(points, distance)
    from sklearn.cluster import MiniBatchKMeans  # noqa: PLC0415
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    pieces = MiniBatchKMeans(
        n_clusters=int((len(points) / 2) ** 0.5), random_state=_SEED, n_init="auto", batch_size=2048
    ).fit(points)
    merged = _linkage(np.asarray(normalize(pieces.cluster_centers_)), distance)
    return np.asarray(merged[pieces.labels_], dtype=np.int64)


def _linkage(points: Vectors, distance: float) -> NDArray[np.int64]:
    from sklearn.cluster import AgglomerativeClustering  # noqa: PLC0415

    model = AgglomerativeClustering(
        n_clusters=None,  # pyright: ignore[reportArgumentType] - scikit-learn documents None here
        metric="cosine",
        linkage="average",
        distance_threshold=distance,
    )
    return np.asarray(model.fit_predict(points), dtype=np.int64)


def nearest_text(vector: Vectors, known: Vectors) -> NearestText | None:
    """The most similar of the known vectors; None when there is none or the vector says nothing."""
    if not len(known) or not np.any(vector):
        return None
    similarities = known @ vector
    index = int(np.argmax(similarities))
    return NearestText(index=index, similarity=float(similarities[index]))


def exemplars(vectors: Vectors, rows: Sequence[int], *, limit: int) -> list[int]:
    """The rows closest to their own centre: what a cluster is remembered by."""
    inside = vectors[list(rows)]
    centre = inside.mean(axis=0)
    order = np.argsort(-(inside @ centre), kind="stable")
    return [rows[int(i)] for i in order[:limit]]
