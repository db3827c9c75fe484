"""Three machine instructions on a uint64 that neither Python nor NumPy offers to compiled code."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


def popcount(word: Any) -> int:
    """Return the number of bits set in a uint64."""
    return int(word).bit_count()


def lowest(word: Any) -> int:
    """Return the position of the lowest bit set in a uint64 that is not zero."""
    number = int(word)
    return (number & -number).bit_length() - 1


def highest(word: Any) -> int:
    """Return the position of the highest bit set in a uint64 that is not zero."""
    return int(word).bit_length() - 1


@intrinsic
def _ctpop(typingctx, word):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def _cttz(typingctx, word):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def _ctlz(typingctx, word):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@overload(popcount)
def _popcount(word):  # type: ignore[no-untyped-def]
    return lambda word: _ctpop(np.uint64(word))  # type: ignore[call-arg]


@overload(lowest)
def _lowest(word):  # type: ignore[no-untyped-def]
    return lambda word: _cttz(np.uint64(word))  # type: ignore[call-arg]


@overload(highest)
def _highest(word):  # type: ignore[no-untyped-def]
    return lambda word: 63 - _ctlz(np.uint64(word))  # type: ignore[call-arg]
