"""Runs on the MicroPython VM: imports one test file, calls its tests, turns what happens into text."""

import gc
import io
import sys

import micropython

_modules = []


def traceback_text(error):
    out = io.StringIO()
    sys.print_exception(error, out)
    return out.getvalue()


def asserts_are_on():
    """Compiled like any test file, so this tells whether a failing assert fails there."""
    try:
        assert False
    except AssertionError:
        return True
    return False


def load(name):
    """Import a test file in place of the one before. Returns the traceback, or "" and names() has its tests."""
    while _modules:
        sys.modules.pop(_modules.pop().__name__, None)
    gc.collect()
    try:
        _modules.append(__import__(name))
    except BaseException as error:
        unlock()
        return traceback_text(error)
    if unlock():
        return "the import left the heap locked\n"
    return ""


def names():
    """test_* functions and Test* classes of the file; dicts are unordered, the caller sorts."""
    module = _modules[0]
    found = [name for name in dir(module) if name.startswith("test_") and callable(getattr(module, name))]
    found += [name for name in dir(module) if name.startswith("Test") and isinstance(getattr(module, name), type)]
    return " ".join(found)


def call(name):
    """Run one test. Returns "" if it passed, else the traceback or the reason."""
    test = getattr(_modules[0], name)
    if isinstance(test, type):
        return "a class: tests that run on this VM are plain functions\n"
    failure = None
    result = None
    try:
        result = test()
    except BaseException as error:
        failure = error
    # First of all, since nothing that allocates works before it.
    locks = unlock()
    text = traceback_text(failure) if failure is not None else ""
    if locks:
        text += "the test left the heap locked, {} deep\n".format(locks)
    if result is not None:
        text += "the test returned {!r}; a generator or coroutine would not have run at all\n".format(result)
    return text


def unlock():
    """Undo every heap lock; the number there were. Does not allocate."""
    # heap_unlock() returns the depth that is left, so one extra pair reads it.
    micropython.heap_lock()
    locks = micropython.heap_unlock()
    for _ in range(locks):
        micropython.heap_unlock()
    return locks


def execute(path):
    """Run a script as __main__. Returns (exit code, text for stderr)."""
    try:
        with open(path) as file:
            code = compile(file.read(), path, "exec")
        exec(code, {"__name__": "__main__", "__file__": path})
    except SystemExit as error:
        unlock()
        value = error.args[0] if error.args else None
        if value is None:
            return 0, ""
        if isinstance(value, int):
            return value & 0xFF, ""
        return 1, "{}\n".format(value)
    except BaseException as error:
        unlock()
        return 1, traceback_text(error)
    return 0, ""
