# Compiles every file, given as path and source in turn, and runs none.
import sys
import traceback

failed = False
for path, source in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        compile(source, path, "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        failed = True
        print("".join(traceback.format_exception_only(error)), end="", file=sys.stderr)
sys.exit(1 if failed else 0)
