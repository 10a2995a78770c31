# gdb's side of `undertrace gdb`: frames of functions, for a trace has no stack pointers and no stack. The call stacks
# that the trace shows are memory at addresses that no machine has: decode/cli/gdb/unwind.h describes them.
import struct

import gdb
import gdb.unwinder


class UndertraceStack:
    NOW = 0x4000000000000000
    END = 0x5000000000000000
    entry_values = None  # the user's setting, while it is changed

    @staticmethod
    def read(address):
        """The stack pointers of a function and of its caller, and the address at which the caller continues."""
        memory = gdb.selected_inferior().read_memory(address, 24)
        return struct.unpack("<QQQ", memory.tobytes())

    @classmethod
    def innermost(cls):
        """The same of the innermost frame. None: the target is not a trace."""
        try:
            numbers = cls.read(cls.NOW)
        except (gdb.error, RuntimeError):
            numbers = None
        cls.adapt(numbers is not None)
        return numbers

    @classmethod
    def adapt(cls, is_trace):
        """A trace has no values of arguments. gdb's attempts to find them in the callers would fill its lines."""
        if is_trace and cls.entry_values is None:
            cls.entry_values = gdb.parameter("print entry-values")
            gdb.execute("set print entry-values no")
        elif not is_trace and cls.entry_values is not None:
            gdb.execute("set print entry-values " + cls.entry_values)
            cls.entry_values = None

    @classmethod
    def interrupts(cls, how):
        """Do single steps enter the handlers of interrupts, or pass them?"""
        if gdb.selected_thread() and cls.innermost() is not None:
            gdb.execute("monitor interrupts " + how, to_string=True)


class UndertraceFrame:
    """A function keeps its stack pointer until it returns, so that this alone identifies its frame."""

    TYPE = gdb.Value(0xFFFFFFFFFFFFFFFF).type
    PC = gdb.Value(0).cast(TYPE)

    def __init__(self, sp):
        self.sp = UndertraceFrame.value(sp)
        self.pc = UndertraceFrame.PC

    @classmethod
    def value(cls, number):
        return gdb.Value(number).cast(cls.TYPE)


class UndertraceUnwinder(gdb.unwinder.Unwinder):
    def __init__(self):
        super().__init__("undertrace")

    @staticmethod
    def find(frame):
        """None: it is not known, or not a frame of a trace. The innermost frame has no register for it."""
        try:
            register = frame.read_register("rsp")
        except ValueError:  # of an architecture without it
            return None
        try:
            sp = int(register) & 0xFFFFFFFFFFFFFFFF
        except gdb.error:
            return UndertraceStack.innermost()
        return UndertraceStack.read(sp) if UndertraceStack.NOW < sp < UndertraceStack.END else None

    def __call__(self, frame):
        numbers = self.find(frame)
        if not numbers or not numbers[0]:
            return None
        sp, caller_sp, caller_pc = numbers
        if not caller_sp:
            # gdb ends a backtrace at a frame that is its own caller.
            caller_sp = sp
            caller_pc = int(frame.read_register("rip")) & 0xFFFFFFFFFFFFFFFF
        unwound = frame.create_unwind_info(UndertraceFrame(sp))
        unwound.add_saved_register("rsp", UndertraceFrame.value(caller_sp))
        unwound.add_saved_register("rip", UndertraceFrame.value(caller_pc))
        return unwound


gdb.unwinder.register_unwinder(None, UndertraceUnwinder(), True)
# Stepping by source lines passes interrupts, as it passes other functions without source; by instructions, it shows
# each of them.
for command in "step", "next", "until", "advance", "finish", "reverse-step", "reverse-next", "reverse-finish":
    gdb.execute("define hook-%s\npython UndertraceStack.interrupts('pass')\nend" % command)
for command in "stepi", "nexti", "continue", "reverse-stepi", "reverse-nexti", "reverse-continue":
    gdb.execute("define hook-%s\npython UndertraceStack.interrupts('enter')\nend" % command)
# The first stack may need the whole trace.
gdb.execute("set remotetimeout 600")
