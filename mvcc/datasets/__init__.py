"""The data sets of §6.1: where their files come from and how they become views with relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvcc._lazy import lazy_names

if TYPE_CHECKING:
    from mvcc.datasets._dataset import Dataset
    from mvcc.datasets._files import cache_folder, fetch, file_checksums, find_file, search_folders
    from mvcc.datasets._load import load_dataset
    from mvcc.datasets._registry import DataFile, DatasetInfo, ViewInfo, dataset_info, registry, registry_version
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        _dataset="Dataset",
        _files="cache_folder fetch file_checksums find_file search_folders",
        _load="load_dataset",
        _registry="DataFile DatasetInfo ViewInfo dataset_info registry registry_version",
    )

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
    "registry",
    "registry_version",
    "search_folders",
]
