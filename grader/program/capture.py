"""A Python object of unknown origin -> a `Value`, or `Unreadable` with the reason. Bounded in size, depth and time.

The object may be hostile: its methods may lie, loop or raise. So types are compared by identity, containers are read
with the base class's own methods, and no `__repr__`, `__eq__` or `__iter__` of a foreign class is called.
"""

from __future__ import annotations

import sys
from typing import Any, cast

import numpy as np
import torch
from safetensors.numpy import save

from grader.program.describing import class_name, encodable
from grader.records import Array, Blank, Items, Nothing, Number, Table, Text, Unreadable, Value

MAX_DEPTH = 12
MAX_INT_DIGITS = 300


def capture(thing: object, max_bytes: int = 1_000_000) -> Value:
    """Read `thing` as data.

    Args:
        thing: any object.
        max_bytes: cap on the bytes of all tensors, strings and numbers in it together.

    Returns:
        a `Value`; `Unreadable` for functions, modules, foreign objects, sparse, quantised, nested or meta tensors, and
        for anything larger or deeper than the caps.
    """
    try:
        return _Reader(max_bytes).read(thing, 0)
    except _Refused as refused:
        return Unreadable(encodable(refused.reason))
    except (Exception, SystemExit, GeneratorExit) as error:  # noqa: BLE001 - the object is foreign
        # A hostile object reached code that we do call (a tensor subclass's storage, `__class__`, say).
        return Unreadable(f"reading it raised {class_name(type(error))}")


class _Refused(Exception):
    def __init__(self, reason: str) -> None:
        self.reason = reason


class _Reader:
    def __init__(self, max_bytes: int) -> None:
        self.left = max_bytes
        self.max_bytes = max_bytes

    def spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise _Refused(f"it is larger than {self.max_bytes} bytes")

    def read(self, thing: object, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise _Refused(f"it is nested more than {MAX_DEPTH} deep")
        self.spend(1)
        kind = type(thing)
        if thing is None:
            return Nothing()
        if thing is Ellipsis:
            return Blank()
        if kind in (bool, int, float, complex):
            return self.number(thing)
        if kind is str:
            text = str(thing)
            self.spend(4 * len(text))
            return Text(text.encode("utf-8", "replace").decode())
        if issubclass(kind, torch.Tensor):
            return self.tensor(thing)
        if issubclass(kind, (np.ndarray, np.generic)):
            return self.numpy(thing)
        if kind in (list, tuple) or (issubclass(kind, tuple) and kind.__module__.startswith("torch")):
            # torch.return_types (max with dim=) are tuples; other subclasses are foreign.
            members = list.__iter__(cast(Any, thing)) if kind is list else tuple.__iter__(cast(Any, thing))
            items = tuple(self.read(item, depth + 1) for item in members)
            return Items("list" if kind is list else "tuple", items)
        if kind in (set, frozenset):
            return Items("set", tuple(sorted((self.read(item, depth + 1) for item in cast(Any, thing)), key=repr)))
        if kind is dict:
            return self.table(thing, depth)
        if isinstance(thing, type) and issubclass(thing, BaseException):
            return Text(class_name(thing))
        raise _Refused(_what(kind))

    def number(self, thing: Any) -> Value:
        kind = type(thing)
        if kind is int and abs(thing) >= 10**MAX_INT_DIGITS:
            raise _Refused(f"it is an integer of more than {MAX_INT_DIGITS} digits")
        text = repr(thing)
        self.spend(len(text))
        return Number(cast(Any, kind.__name__), text)

    def table(self, thing: Any, depth: int) -> Value:
        rows = []
        for key, item in dict.items(thing):
            if type(key) is not str:
                raise _Refused("it is a dict with keys that are not strings")
            self.spend(4 * len(key))
            rows.append((key.encode("utf-8", "replace").decode(), self.read(item, depth + 1)))
        return Table(tuple(rows))

    def tensor(self, thing: Any) -> Value:
        with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
            if thing.layout is not torch.strided:
                raise _Refused("it is a sparse tensor; give a dense one (.to_dense())")
            if thing.is_nested or thing.is_quantized:
                raise _Refused("it is a nested or quantised tensor")
            if thing.device.type != "cpu":
                raise _Refused(f"it is a tensor on the device {thing.device.type!r}")
            self.spend(thing.numel() * thing.element_size())
            dense = thing.detach().resolve_conj().resolve_neg()
            if dense.dtype is torch.bfloat16:
                dense = dense.to(torch.float32)
            if dense.dtype is torch.complex128:
                dense = dense.to(torch.complex64)
            return _array("torch", dense.contiguous().numpy())

    def numpy(self, thing: Any) -> Value:
        if thing.dtype.kind not in "biufc":
            raise _Refused(f"it is a numpy array of dtype {thing.dtype}")
        self.spend(thing.nbytes if isinstance(thing, np.generic) else np.ndarray.__dict__["nbytes"].__get__(thing))
        dense = np.ascontiguousarray(thing)
        if dense.dtype == np.complex128:
            dense = dense.astype(np.complex64)
        if dense.dtype.kind == "f" and dense.dtype.itemsize > 8:
            dense = dense.astype(np.float64)
        # ascontiguousarray turns 0-d into 1-d; the shape is part of the answer.
        return _array("numpy", dense.reshape(np.shape(thing)))


def _array(source: Any, dense: np.ndarray[Any, Any]) -> Array:
    if dense.dtype.byteorder == (">" if sys.byteorder == "little" else "<"):
        dense = dense.astype(dense.dtype.newbyteorder("="))
    return Array(source, save({"value": dense}))


def _what(kind: type) -> str:
    name = class_name(kind)
    if name in ("function", "builtin_function_or_method", "method"):
        return "it is a function, not a value"
    if issubclass(kind, type):
        return "it is a class, not a value"
    return f"it is an object of type {name!r:.80}"
