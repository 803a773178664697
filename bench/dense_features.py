"""Features of a data set in graco's own format as PyTorch's programs take them: dense, or the entries of
sparse ones."""
import numpy as np


def read_features(arrays, scaling):
    """(N, F) in float32, scaled as the configuration says."""
    if "x" in arrays:
        X = np.array(arrays["x"], dtype=np.float32)
    else:
        X = np.zeros(arrays["x_shape"], dtype=np.float32)
        rows = np.repeat(np.arange(X.shape[0]), np.diff(arrays["x_indptr"]))
        X[rows, arrays["x_indices"]] = arrays["x_data"]
    if scaling == "binary_rowsum":
        X = (X != 0).astype(np.float32)
    if scaling != "none":
        total = X.sum(axis=1, keepdims=True, dtype=np.float64)
        X = np.divide(X, total, out=X, where=total != 0, casting="same_kind")
    return X


def scale_entries(arrays, scaling):
    """The stored values of sparse features in float32, scaled as the configuration says."""
    values = np.array(arrays["x_data"], dtype=np.float32)
    if scaling == "binary_rowsum":
        values = (values != 0).astype(np.float32)
    if scaling != "none":
        rows = np.repeat(np.arange(len(arrays["x_indptr"]) - 1), np.diff(arrays["x_indptr"]))
        total = np.bincount(rows, weights=values, minlength=len(arrays["x_indptr"]) - 1)[rows]
        values = np.divide(values, total, out=values, where=total != 0, casting="same_kind")
    return values
