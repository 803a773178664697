"""The structs of the public headers that Python reads or fills, each mirrored once; a test compares sizes, offsets and fields
with what the C compiler says."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_bool, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_uint64, c_void_p


class Struct(ctypes.Structure):
    """A struct of the public headers; `c_name` is its name there."""

    c_name = ""


class Matrix(Struct):
    c_name = "graco_matrix"
    _fields_ = [("rows", c_int64), ("cols", c_int64), ("data", POINTER(c_float))]


class LoadOptions(Struct):
    c_name = "graco_load_options"
    _fields_ = [
        ("features_path", c_char_p),
        ("labels_path", c_char_p),
        ("undirected", c_bool),
        ("made_features", c_int64),
        ("header", c_char_p),
        ("id_column", c_char_p),
        ("delimiter", c_char_p),
        ("directed", c_bool),
        ("unweighted", c_bool),
        ("by_rows", c_bool),
    ]


class Array(Struct):
    c_name = "graco_array"
    _fields_ = [
        ("data", c_void_p),
        ("type", c_int),
        ("dims", c_int),
        ("rows", c_int64),
        ("cols", c_int64),
        ("stride", c_int64),
    ]


class Arrays(Struct):
    c_name = "graco_arrays"
    _fields_ = [
        ("name", c_char_p),
        ("nodes", c_int64),
        ("source", Array),
        ("target", Array),
        ("edge_indptr", Array),
        ("edge_weight", Array),
        ("x", Array),
        ("x_indptr", Array),
        ("x_indices", Array),
        ("x_data", Array),
        ("x_cols", c_int64),
        ("y", Array),
        ("split", Array),
        ("label_mask", Array),
        ("graph_id", Array),
        ("node_ids", Array),
        ("class_names", Array),
        ("undirected", c_bool),
        ("inductive", c_bool),
        ("borrow", c_bool),
    ]


class DatasetInfo(Struct):
    c_name = "graco_dataset_info"
    _fields_ = [
        ("name", c_char_p),
        ("nodes", c_int64),
        ("edges", c_int64),
        ("self_loops", c_int64),
        ("duplicates", c_int64),
        ("isolated", c_int64),
        ("feature_count", c_int64),
        ("feature_entries", c_int64),
        ("classes", c_int64),
        ("graphs", c_int64),
        ("sparse_features", c_bool),
        ("multi_label", c_bool),
        ("directed", c_bool),
        ("has_split", c_bool),
        ("split_nodes", c_int64 * 3),
        ("inductive", c_bool),
        ("weighted", c_bool),
    ]


class MethodInfo(Struct):
    c_name = "graco_method_info"
    _fields_ = [
        ("name", c_char_p),
        ("help", c_char_p),
        ("supervised", c_bool),
        ("needs_features", c_bool),
        ("needs_labels", c_bool),
        ("scale", c_char_p),
        ("reference", c_char_p),
    ]


class Epoch(Struct):
    c_name = "graco_epoch"
    _fields_ = [
        ("epoch", c_int64),
        ("epochs", c_int64),
        ("loss", c_double),
        ("mutual_information", c_double),
        ("floored", c_int64),
        ("seconds", c_double),
        ("seconds_left", c_double),
        ("cost", c_double),
        ("best_epoch", c_int64),
        ("ended", c_char_p),
    ]


class Progress(Struct):
    c_name = "graco_progress"
    _fields_ = [
        ("epoch", c_int64),
        ("epochs", c_int64),
        ("step", c_int64),
        ("steps", c_int64),
        ("share", c_double),
        ("loss", c_double),
        ("seconds", c_double),
        ("step_seconds", c_double),
        ("seconds_left", c_double),
        ("faster", c_char_p),
        ("faster_seconds", c_double),
    ]


EPOCH_FN = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(Epoch))
SHARE_FN = ctypes.CFUNCTYPE(c_bool, c_void_p, c_double)
PROGRESS_FN = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(Progress))


class TrainOptions(Struct):
    c_name = "graco_train_options"
    _fields_ = [
        ("run", c_char_p),
        ("resume", c_bool),
        ("on_epoch", EPOCH_FN),
        ("user", c_void_p),
        ("on_progress", PROGRESS_FN),
    ]


class TrainResult(Struct):
    c_name = "graco_train_result"
    _fields_ = [
        ("epochs", c_int64),
        ("step", c_int64),
        ("steps", c_int64),
        ("loss", c_double),
        ("mutual_information", c_double),
        ("seconds", c_double),
        ("epoch_ms_median", c_double),
        ("device", c_char_p),
        ("buffer_bytes", c_int64),
        ("best_epoch", c_int64),
        ("best_cost", c_double),
        ("ended", c_char_p),
        ("ranks", c_int64),
        ("sent_bytes", c_int64),
        ("sent_messages", c_int64),
        ("waited", c_double),
    ]


class EmbedOptions(Struct):
    c_name = "graco_embed_options"
    _fields_ = [("threads", c_int64), ("device", c_char_p), ("contaminated", c_bool)]


class EvalOptions(Struct):
    c_name = "graco_eval_options"
    _fields_ = [
        ("protocol", c_int),
        ("splits", c_int64),
        ("seed", c_uint64),
        ("threads", c_int64),
        ("splits_read", c_char_p),
        ("splits_write", c_char_p),
        ("with_features", c_bool),
        ("device", c_char_p),
        ("validation", c_bool),
        ("on_progress", SHARE_FN),
        ("user", c_void_p),
    ]


class EvalResult(Struct):
    c_name = "graco_eval_result"
    _fields_ = [
        ("metric", c_char_p),
        ("mean", c_double),
        ("deviation", c_double),
        ("splits", c_int64),
        ("scores", POINTER(c_double)),
        ("C", POINTER(c_double)),
        ("accuracy", c_double),
        ("micro_f1", c_double),
        ("macro_f1", c_double),
        ("classes", c_int64),
        ("class_of", POINTER(c_int32)),
        ("multi_label", c_bool),
        ("confusion", POINTER(c_int64)),
        ("confusion_cols", c_int64),
        ("converged", c_bool),
        ("worst_gap", c_double),
        ("solves", c_int64),
        ("unconverged", c_int64),
        ("seconds", c_double),
        ("note_count", c_int64),
        ("notes", POINTER(c_char_p)),
    ]


class PredictOptions(Struct):
    c_name = "graco_predict_options"
    _fields_ = [("all", c_bool), ("threads", c_int64), ("device", c_char_p)]


class Prediction(Struct):
    c_name = "graco_prediction"
    _fields_ = [
        ("count", c_int64),
        ("classes", c_int64),
        ("multi_label", c_bool),
        ("node", POINTER(c_int64)),
        ("probability", POINTER(c_float)),
        ("C", c_double),
    ]


class NeighboursOptions(Struct):
    c_name = "graco_neighbours_options"
    _fields_ = [
        ("k", c_int64),
        ("metric", c_char_p),
        ("nodes", POINTER(c_int64)),
        ("count", c_int64),
        ("memory", c_int64),
        ("threads", c_int64),
        ("device", c_char_p),
    ]


class Neighbours(Struct):
    c_name = "graco_neighbours"
    _fields_ = [
        ("metric", c_char_p),
        ("nodes", c_int64),
        ("count", c_int64),
        ("k", c_int64),
        ("node", POINTER(c_int64)),
        ("index", POINTER(c_int64)),
        ("score", POINTER(c_float)),
        ("zero_rows", c_int64),
    ]


class ClusterOptions(Struct):
    c_name = "graco_cluster_options"
    _fields_ = [("clusters", c_int64), ("starts", c_int64), ("seed", c_uint64), ("threads", c_int64)]


class ClusterResult(Struct):
    c_name = "graco_cluster_result"
    _fields_ = [
        ("nodes", c_int64),
        ("clusters", c_int64),
        ("cluster", POINTER(c_int32)),
        ("labelled", c_int64),
        ("nmi", c_double),
        ("ari", c_double),
        ("accuracy", c_double),
        ("modularity", c_double),
        ("silhouette", c_double),
        ("seconds", c_double),
    ]


class LinksOptions(Struct):
    c_name = "graco_links_options"
    _fields_ = [("test", c_double), ("validation", c_double), ("seed", c_uint64)]


class Links(Struct):
    c_name = "graco_links"
    _fields_ = [("count", c_int64), ("pair", POINTER(c_int32))]


class LinkScore(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("auc", c_double), ("average_precision", c_double)]


class LinkResult(Struct):
    c_name = "graco_link_result"
    _fields_ = [
        ("links", c_int64),
        ("others", c_int64),
        ("score", LinkScore * 3),
        ("C", c_double),
        ("converged", c_bool),
        ("seconds", c_double),
    ]


class MapValues(Struct):
    c_name = "graco_map_values"
    _fields_ = [("name", c_char_p), ("values", POINTER(c_float))]


class MapOptions(Struct):
    c_name = "graco_map_options"
    _fields_ = [
        ("title", c_char_p),
        ("names", c_void_p),
        ("data", c_void_p),
        ("values", POINTER(MapValues)),
        ("value_count", c_int64),
        ("k", c_int64),
        ("clusters", c_int64),
        ("epochs", c_int64),
        ("seed", c_uint64),
        ("threads", c_int64),
        ("device", c_char_p),
    ]


class MapInfo(Struct):
    c_name = "graco_map_info"
    _fields_ = [
        ("nodes", c_int64),
        ("clusters", c_int64),
        ("seconds", c_double),
        ("trustworthiness", c_double),
        ("continuity", c_double),
        ("quality_k", c_int64),
        ("quality_nodes", c_int64),
    ]
