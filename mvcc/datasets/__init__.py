"""The data sets of §6.1: where their files come from and how they become views with relations."""

from __future__ import annotations

from mvcc.datasets._dataset import Dataset
from mvcc.datasets._files import cache_folder, fetch, file_checksums, find_file, search_folders
from mvcc.datasets._load import load_dataset
from mvcc.datasets._parcel import pack_files, unpack_files
from mvcc.datasets._registry import DataFile, DatasetInfo, ViewInfo, dataset_info, registry, registry_version

__all__ = [
    "DataFile",
    "Dataset",
    "DatasetInfo",
    "ViewInfo",
    "cache_folder",
    "dataset_info",
    "fetch",
    "file_checksums",
    "find_file",
    "load_dataset",
    "pack_files",
    "registry",
    "registry_version",
    "search_folders",
    "unpack_files",
]
