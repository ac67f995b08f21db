//! Which files judge, by the conventions of each ecosystem.

/// Tests by their places and names.
pub(super) const TESTS: &[&str] = &[
    "tests/",
    "test/",
    "__tests__/",
    "spec/",
    "specs/",
    "e2e/",
    "__snapshots__/",
    "testdata/",
    "__mocks__/",
    "tests.rs",
    "*_tests.rs",
    "test_*.py",
    "*_test.*",
    "*-test.*",
    "*.test.*",
    "*.spec.*",
    "*_spec.rb",
    "test_*.rb",
    "test-*.js",
    "test-*.mjs",
    "test-*.cjs",
    "test-*.ts",
    "test.js",
    "test.mjs",
    "test.cjs",
    "test.ts",
    "test.jsx",
    "test.tsx",
    "spec.js",
    "spec.jsx",
    "spec.ts",
    "spec.tsx",
    "*.bats",
    "*.t",
    "test_*.c",
    "test_*.cc",
    "test_*.cpp",
    "tests.py",
    "*Test.java",
    "*Tests.java",
    "*Test.kt",
    "*Tests.cs",
    "*Test.php",
    "*Tests.swift",
    "*.snap",
];

/// Configuration of tests and of tools for tests. Files that it names judge too.
pub(super) const CONFIGURATION: &[&str] = &[
    // Python.
    "conftest.py",
    "pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    ".pytest.ini",
    "tox.ini",
    "setup.cfg",
    ".coveragerc",
    // JavaScript.
    "jest.config.*",
    "jest.setup.*",
    "vitest.config.*",
    "vitest.workspace.*",
    "vitest.setup.*",
    "vite.config.*",
    "playwright.config.*",
    "cypress.config.*",
    "karma.conf.*",
    "babel.config.*",
    ".babelrc*",
    ".mocharc*",
    ".npmrc",
    ".yarnrc*",
    ".pnpmfile.cjs",
    "pnpm-workspace.yaml",
    ".pnp.*",
    "postcss.config.*",
    ".postcssrc*",
    ".swcrc",
    "bunfig.toml",
    // Rust.
    ".cargo/config.toml",
    ".config/nextest.toml",
    // CMake.
    "CMakePresets.json",
    "CMakeUserPresets.json",
    "CTestConfig.cmake",
    "CTestCustom.*",
    // Ruby, PHP.
    ".rspec",
    "phpunit.xml*",
    // Linters, type checkers and compilers.
    "ruff.toml",
    ".ruff.toml",
    "mypy.ini",
    ".mypy.ini",
    ".flake8",
    ".pylintrc",
    "pylintrc",
    "pyrightconfig.json",
    "tsconfig*.json",
    "jsconfig.json",
    ".eslintrc*",
    "eslint.config.*",
    ".prettierrc*",
    "prettier.config.*",
    ".stylelintrc*",
    "biome.json*",
    "clippy.toml",
    ".clippy.toml",
    "rustfmt.toml",
    ".rustfmt.toml",
    "deny.toml",
    ".golangci.*",
    ".rubocop.yml",
    "phpstan.neon*",
];

/// Files that run before or around tests.
pub(super) const AROUND: &[&str] = &[
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
    "*.dist-info/",
    "*.egg-info/",
    ".cargo/",
    "build.rs",
    "rust-toolchain",
    "rust-toolchain.toml",
    "go.work",
    // Headers with assertions, which a nearer file would replace.
    "assert.h",
    "cassert",
    "catch.hpp",
    "catch2/",
    "doctest.h",
    "gmock/",
    "gtest/",
    // Programs that run programs.
    "noxfile.py",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "*.mk",
    "justfile",
    "Justfile",
    ".justfile",
    "Taskfile.y*ml",
    "Rakefile",
    "tox.toml",
    ".gitattributes",
    ".gitmodules",
    ".envrc",
    ".env.test",
];

/// Returns the patterns of everything that judges by its place and name.
pub(super) fn protected<'a>() -> impl Iterator<Item = &'a str> {
    TESTS.iter().chain(CONFIGURATION).chain(AROUND).copied()
}

/// Files of which only a part judges: see `documents/`.
pub(super) const MERGED: &[&str] = &[
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pyproject.toml",
    "Cargo.toml",
    "go.mod",
    "requirements*.txt",
    "CMakeLists.txt",
    "*.cmake",
];

/// Folders of installed packages. An agent cannot bring its own.
pub(super) const INSTALLED: &[&str] = &["node_modules/", ".venv/", "venv/", "site-packages/", "vendor/"];

/// The endings of files in which tests keep what they expect, and which they can renew.
pub(super) const DATA: &[&str] = &[
    "approved", "csv", "expected", "golden", "html", "json", "md", "out", "snap", "svg", "txt", "xml",
    "yaml", "yml",
];

/// Build output and caches. The sealed tree has its own.
pub(super) const BUILT: &[&str] = &[
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".gradle/",
    ".next/",
    ".nuxt/",
    ".turbo/",
    ".vite/",
    ".vite-temp/",
    "**/node_modules/.cache/",
    "_build/",
    ".tox/",
    ".nox/",
];

/// Modules and tools of Python, which a file of the same name at the top of the import path would replace.
pub(super) const PYTHON_MODULES: &str = "\
    _abc _aix_support _ast _asyncio _bisect _blake2 _bootsubprocess _bz2 _codecs _codecs_cn _codecs_hk \
    _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _compat_pickle _compression \
    _contextvars _crypt _csv _ctypes _curses _curses_panel _datetime _dbm _decimal _elementtree _frozen_importlib \
    _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp _io _json _locale _lsprof _lzma _markupbase \
    _md5 _msi _multibytecodec _multiprocessing _opcode _operator _osx_support _overlapped _pickle _posixshmem \
    _posixsubprocess _py_abc _pydecimal _pyio _queue _random _scproxy _sha1 _sha256 _sha3 _sha512 _signal \
    _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct _symtable _thread \
    _threading_local _tkinter _tokenize _tracemalloc _typing _uuid _warnings _weakref _weakrefset _winapi \
    _zoneinfo \
    pytest _pytest pluggy iniconfig nose nose2 coverage tox nox hypothesis xdist exceptiongroup tomli packaging py \
    abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect \
    builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys \
    compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses \
    dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno \
    faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt \
    getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib \
    inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox mailcap marshal \
    math mimetypes mmap modulefinder multiprocessing netrc nntplib numbers opcode operator optparse os \
    pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint \
    profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline \
    reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site \
    smtpd smtplib sndhdr socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat \
    statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile \
    telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace \
    traceback tracemalloc tty types typing unicodedata unittest urllib uu uuid venv warnings wave \
    weakref webbrowser wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo \
    ";
