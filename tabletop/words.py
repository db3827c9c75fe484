"""Machine instructions on a uint64 that neither Python nor NumPy offers to compiled code."""

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


def fold(left: Any, right: Any) -> Any:
    """Return the upper half of the 128-bit product of two uint64, xor the lower half: a hash of both."""
    product = int(left) * int(right)
    return np.uint64((product >> 64) ^ (product & (2**64 - 1)))


def word_of(state: Any, index: int) -> Any:
    """Return bytes 8 * index to 8 * index + 7 of a record as a uint64, in the byte order of the machine."""
    return np.frombuffer(state.tobytes(), np.uint64)[index]


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


@intrinsic
def _fold(typingctx, left, right):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        upper = builder.lshr(product, ir.Constant(wide, 64))
        return builder.trunc(builder.xor(product, upper), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def _word_of(typingctx, state, index):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        words = builder.bitcast(args[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(words, [args[1]]), align=1)

    return types.uint64(state, types.int64), codegen


@overload(popcount)
def _popcount(word):  # type: ignore[no-untyped-def]
    return lambda word: _ctpop(np.uint64(word))  # type: ignore[call-arg]


@overload(lowest)
def _lowest(word):  # type: ignore[no-untyped-def]
    return lambda word: _cttz(np.uint64(word))  # type: ignore[call-arg]


@overload(highest)
def _highest(word):  # type: ignore[no-untyped-def]
    return lambda word: 63 - _ctlz(np.uint64(word))  # type: ignore[call-arg]


@overload(fold)
def _fold_words(left, right):  # type: ignore[no-untyped-def]
    return lambda left, right: _fold(np.uint64(left), np.uint64(right))  # type: ignore[call-arg]


@overload(word_of)
def _word_of_record(state, index):  # type: ignore[no-untyped-def]
    if isinstance(state, types.Record):
        return lambda state, index: _word_of(state, np.int64(index))  # type: ignore[call-arg]
    return None
