//! What Python brings along: never a finding.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The top-level modules of the standard library, those of every version since 3.8. Its private ones are left out, but
/// for the three that people import.
const MODULES: &str = "\
__future__ __main__ _thread abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit
audioop base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs
codeop collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg
crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip
enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt
getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect
io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes
mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator
optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix
posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline
reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib
sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep
struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap
this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types
typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib
xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";

static SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| MODULES.split_ascii_whitespace().collect());

pub(crate) fn contains(module: &str) -> bool {
    SET.contains(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_library_is_known_and_nothing_else() {
        for module in ["json", "__future__", "zoneinfo", "this", "tomllib", "distutils"] {
            assert!(contains(module), "{module}");
        }
        for module in ["numpy", "yaml", "", "_private", "requests"] {
            assert!(!contains(module), "{module}");
        }
    }
}
