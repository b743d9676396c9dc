# Starts a packaged program: ENTRY COUNT, COUNT times PATH SOURCE, and then the caller's arguments.
import sys


def start():
    import os
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    entry, count = sys.argv[1], int(sys.argv[2])
    files = dict(zip(sys.argv[3 : 3 + 2 * count : 2], sys.argv[4 : 4 + 2 * count : 2]))
    sys.argv = [entry, *sys.argv[3 + 2 * count :]]
    try:
        os.chdir(os.environ.get("PWD", "/"))
    except OSError:
        pass

    def execute(path, names):
        import linecache

        source = files[path]
        linecache.cache[path] = (len(source), None, source.splitlines(True), path)
        exec(compile(source, path, "exec"), names)

    class Packaged:
        @staticmethod
        def find_spec(name, path=None, target=None):
            base = name.replace(".", "/")
            for file, package in ((base + "/__init__.py", True), (base + ".py", False)):
                if file in files:
                    return ModuleSpec(name, Packaged, origin=file, is_package=package)
            if any(file.startswith(base + "/") for file in files):
                return ModuleSpec(name, None, is_package=True)
            return None

        @staticmethod
        def create_module(spec):
            return None

        @staticmethod
        def exec_module(module):
            module.__file__ = module.__spec__.origin
            execute(module.__file__, module.__dict__)

    sys.meta_path.insert(0, Packaged)
    main = ModuleType("__main__")
    main.__file__ = entry
    sys.modules["__main__"] = main
    try:
        execute(entry, main.__dict__)
    except Exception as error:
        import traceback

        trace = error.__traceback__
        # The frames above the program are ours and of no interest.
        while trace is not None and trace.tb_frame.f_code.co_filename == "<string>":
            trace = trace.tb_next
        # The one in C would look for the lines in a file.
        traceback.print_exception(type(error), error.with_traceback(trace), trace)
        sys.exit(1)


start()
