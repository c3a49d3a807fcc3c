"""Shared memory that is used again: the slots of one direction between a pool and a worker.

The sender of a direction owns its slots. It writes the large arrays of a message into one and names it in the message;
the receiver maps a slot when it first sees it. New memory would be zeroed, mapped and faulted in for every message.

              write                        back, not retained
    FREE ─────────────▶ LENT(message) ──────────────────────────▶ FREE
                             │ back, retained
                             └──────────────────────────────────▶ GONE

    state | who may touch the memory                 | who moves it
    ------+------------------------------------------+----------------------------------------------------
    FREE  | the sender                               | the sender, as it writes a message
    LENT  | the receiver of the message              | the sender, when the receiver says that it is done
    GONE  | the receiver, until its arrays are freed | nobody

The receiver of the arguments of a call reports that with its answer. It looks whether the function retained an array:
then the slot is GONE, and the memory is the function's. The receiver of results copies them, and names the slots that
it is done with in a later request. A message without a slot (too large, or the limit is reached) has a segment of its
own.

The sender of requests moves its slots under the rules for `Owned.calls` (see `ownership`); a worker has one thread.
"""

from __future__ import annotations

import mmap
import os
import sys

from inlay._src.base.tuning import TUNING

LEAST = 1 << 16
"""Bytes of the smallest slot; sizes are powers of two."""


class Slot:
    """A piece of shared memory.

    Attributes:
      number: its number among those of its sender, from 1.
      size: its bytes.
      used: the bytes at its front that messages had so far; only these take memory.
      memory: its mapping in the sender.
      descriptor: that of its file.
      introduced: whether the receiver has mapped it.
    """

    __slots__ = ("descriptor", "introduced", "memory", "number", "size", "used")

    def __init__(self, number: int, size: int) -> None:
        self.number, self.size, self.used, self.introduced = number, size, 0, False
        self.descriptor = os.memfd_create("inlay-slot", os.MFD_CLOEXEC)
        try:
            os.ftruncate(self.descriptor, size)
            self.memory = mmap.mmap(self.descriptor, size)
        except BaseException:
            os.close(self.descriptor)
            raise

    def reserve(self, size: int) -> None:
        """Takes the memory for a message; OSError if there is no room, which would be a signal at the first write."""
        if size > self.used:
            os.posix_fallocate(self.descriptor, self.used, size - self.used)
            self.used = size

    def close(self) -> None:
        """Frees this side's part."""
        os.close(self.descriptor)
        self.memory.close()


class SentSlots:
    """The slots of a sender.

    Attributes:
      size: the bytes of all its slots.
      lent: the slots that a receiver has, by number.
    """

    def __init__(self) -> None:
        self.size = self._last = 0
        self._free: dict[int, list[Slot]] = {}
        self.lent: dict[int, Slot] = {}

    def take(self, size: int) -> Slot | None:
        """FREE -> LENT: a slot for so many bytes; None if a segment has to be made."""
        size_class = max(LEAST, 1 << (size - 1).bit_length())
        free = self._free.setdefault(size_class, [])
        try:
            if not free:
                if self.size + size_class > TUNING.slot_bytes:
                    return None
                free.append(Slot(self._last + 1, size_class))
                self._last += 1
                self.size += size_class
            free[-1].reserve(size)
        except OSError:  # no room, or no descriptors: the segment that follows reports it
            return None
        slot = free.pop()
        self.lent[slot.number] = slot
        return slot

    def back(self, number: int, retained: bool = False) -> None:
        """LENT -> FREE, or GONE if the receiver retained an array in it.

        Raises:
          KeyError: if no such slot is lent.
        """
        slot = self.lent.pop(number)
        if retained:
            self.size -= slot.size
            slot.close()
        else:
            self._free[slot.size].append(slot)

    @property
    def used(self) -> int:
        """The bytes of all slots that were written so far."""
        return sum([slot.used for slot in self._all()])

    def _all(self) -> list[Slot]:
        return [*self.lent.values(), *(slot for free in list(self._free.values()) for slot in free)]

    def close(self) -> None:
        """Frees this side's part of all of them."""
        for slot in self._all():
            slot.close()
        self.lent.clear()
        self._free.clear()


class ReceivedSlots:
    """The slots of a sender as its receiver maps them."""

    def __init__(self) -> None:
        self._mapped: dict[int, mmap.mmap] = {}
        self._used: dict[int, int] = {}

    def memory(self, number: int, descriptor: int, used: int) -> mmap.mmap:
        """The memory of the slot that a message names. Arrays in it refer to the mapping, which is never closed.

        Args:
          number: the slot.
          descriptor: the file of a slot that was not seen before, which this closes; else -1.
          used: the bytes at its front that the message has.

        Raises:
          KeyError: if there is no such slot.
        """
        if descriptor >= 0:
            try:
                self._mapped[number] = mmap.mmap(descriptor, os.fstat(descriptor).st_size)
            finally:
                os.close(descriptor)
        self._used[number] = max(used, self._used.get(number, 0))
        return self._mapped[number]

    def retained(self, number: int) -> bool:
        """Whether an array in a slot is still alive; if so the slot is GONE, and its memory freed with the array."""
        if _references(self._mapped, number) <= _UNSHARED:
            return False
        del self._mapped[number], self._used[number]
        return True

    @property
    def used(self) -> int:
        """The bytes of all slots that messages had so far."""
        return sum(list(self._used.values()))


def _references(mapped: dict[int, mmap.mmap], number: int) -> int:
    return sys.getrefcount(mapped[number])


def _unshared() -> int:
    message = mmap.mmap(-1, 1)
    return _references({0: message}, 0)


_UNSHARED = _unshared()
"""References to a mapping that only the dictionary and the message hold."""
