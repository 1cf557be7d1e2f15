"""Thirty everyday tasks as data: what an agent calls, here and on the reference server, and how to see that it worked.

`W` marks the root of our calls, `@/` the directory in the reference server's calls. A task whose `reference` is None can
not be done there. `files` are what the tree must hold afterwards (None: gone), `says` what an answer must contain.
"""


def ours(tool, path=None, **more):
    return [tool, {"root": "workspace", **({"path": path} if path is not None else {}), **more}]


def across(tool, source, target):
    return [tool, {"source_root": "workspace", "source_path": source, "dest_root": "workspace", "dest_path": target}]


def theirs(tool, path=None, **more):
    return [tool, {**({"path": f"@/{path}"} if path is not None else {}), **more}]


def edit(path, old, new):
    return theirs("edit_file", path, edits=[{"oldText": old, "newText": new}])


def patch(path, hunk):
    return ours("patch_file", path, patch=hunk)


SOURCES = [f"src/{package}/{name}.py" for package in ("core", "web", "jobs") for name in ("models", "views", "tasks", "util")]
# Without a search of contents an agent reads every file.
READ_ALL = [theirs("search_files", "src", pattern="**/*.py"), theirs("read_multiple_files", paths=[f"@/{s}" for s in SOURCES])]

TASKS = [
    {"name": "find where a function is defined", "says": "def parse_invoice",
     "ours": [ours("grep", "src", pattern="def parse_invoice")], "reference": READ_ALL},
    {"name": "find every use of a function", "says": "parse_invoice(",
     "ours": [ours("grep", ".", pattern="parse_invoice\\(")], "reference": READ_ALL},
    {"name": "read a source file", "says": "class Model",
     "ours": [ours("read_file", "src/core/models.py")], "reference": [theirs("read_text_file", "src/core/models.py")]},
    {"name": "read lines 40 to 60", "says": "value_45",
     "ours": [ours("read_file", "src/core/models.py", offset_lines=40, limit_lines=21)],
     "reference": [theirs("read_text_file", "src/core/models.py", head=60)]},
    {"name": "read the end of a log", "says": "line 19999",
     "ours": [ours("read_file", "logs/app.log", last_lines=20)],
     "reference": [theirs("read_text_file", "logs/app.log", tail=20)]},
    {"name": "find the errors in a log", "says": "ERROR",
     "ours": [ours("grep", "logs", pattern="ERROR", max_results=20)],
     "reference": [theirs("read_text_file", "logs/app.log")]},
    {"name": "change a constant", "files": {"src/core/util.py": "TIMEOUT = 60\n"},
     "ours": [patch("src/core/util.py", "@@ -1,3 +1,3 @@\n import os\n-TIMEOUT = 30\n+TIMEOUT = 60\n RETRIES = 3\n")],
     "reference": [edit("src/core/util.py", "TIMEOUT = 30\n", "TIMEOUT = 60\n")]},
    {"name": "rename a function everywhere", "files": {"src/core/tasks.py": "read_invoice", "src/web/views.py": "read_invoice"},
     "ours": [ours("grep", ".", pattern="parse_invoice", context_lines=1),
              patch("src/core/tasks.py", "@@\n-def parse_invoice(text):\n+def read_invoice(text):\n"),
              patch("src/web/views.py", "@@\n-from core.tasks import parse_invoice\n+from core.tasks import read_invoice\n@@\n-    return parse_invoice(body)\n+    return read_invoice(body)\n")],
     "reference": [*READ_ALL, edit("src/core/tasks.py", "def parse_invoice(text)", "def read_invoice(text)"),
                   theirs("edit_file", "src/web/views.py", edits=[
                       {"oldText": "import parse_invoice", "newText": "import read_invoice"},
                       {"oldText": "return parse_invoice(", "newText": "return read_invoice("}])]},
    {"name": "add a line at the end of a file", "files": {"notes.md": "- buy milk\n"},
     "ours": [ours("write_file", "notes.md", content="- buy milk\n", mode="append")],
     "reference": [theirs("read_text_file", "notes.md"), theirs("write_file", "notes.md", content="# Notes\n\n- call Ann\n- buy milk\n")]},
    {"name": "create a file in a new directory", "files": {"docs/adr/0001.md": "# Use Rust"},
     "ours": [ours("create_folder", "docs/adr"), ours("write_file", "docs/adr/0001.md", content="# Use Rust\n", mode="create_only")],
     "reference": [theirs("create_directory", "docs/adr"), theirs("write_file", "docs/adr/0001.md", content="# Use Rust\n")]},
    {"name": "do not overwrite what is there", "files": {"notes.md": "call Ann"}, "fails": 1, "says": "already exists",
     "ours": [ours("write_file", "notes.md", content="x", mode="create_only")], "reference": None},
    {"name": "move a module", "files": {"src/shared/util.py": "TIMEOUT", "src/core/util.py": None},
     "ours": [ours("create_folder", "src/shared"), across("move", "src/core/util.py", "src/shared/util.py")],
     "reference": [theirs("create_directory", "src/shared"),
                   theirs("move_file", source="@/src/core/util.py", destination="@/src/shared/util.py")]},
    {"name": "rename a directory", "files": {"source/core/models.py": "class Model", "src/core/models.py": None},
     "ours": [across("move", "src", "source")], "reference": [theirs("move_file", source="@/src", destination="@/source")]},
    {"name": "copy a directory", "files": {"backup/core/models.py": "class Model", "src/core/models.py": "class Model"},
     "ours": [across("copy", "src", "backup")], "reference": None},
    {"name": "delete a file", "files": {"old/a.txt": None},
     "ours": [ours("remove_file", "old/a.txt")], "reference": None},
    {"name": "clean up a build directory", "files": {"build/out/0.o": None},
     "ours": [ours("remove_folder", "build")], "reference": None},
    {"name": "list a directory", "says": "models.py",
     "ours": [ours("list_folder", "src/core")], "reference": [theirs("list_directory", "src/core")]},
    {"name": "see the whole tree of the sources", "says": "views.py",
     "ours": [ours("glob", "src", pattern="**")], "reference": [theirs("directory_tree", "src")]},
    {"name": "find all test files", "says": "test_models.py",
     "ours": [ours("glob", pattern="**/test_*.py")], "reference": [theirs("search_files", ".", pattern="**/test_*.py")]},
    {"name": "find files that git does not ignore", "says": "notes.md",
     "ours": [ours("glob", pattern="*", respect_gitignore=True, max_depth=0)],
     "reference": [theirs("search_files", ".", pattern="*", excludePatterns=["build", "node_modules"])]},
    {"name": "find the largest file of a directory", "says": "big.bin",
     "ours": [ours("list_folder", "assets")], "reference": [theirs("list_directory_with_sizes", "assets", sortBy="size")]},
    {"name": "tell size and date of a file", "says": "size",
     "ours": [ours("stat_file", "assets/big.bin")], "reference": [theirs("get_file_info", "assets/big.bin")]},
    {"name": "compare two folders", "says": "2.txt",
     "ours": [ours("glob", side, pattern="**", with_hash=True) for side in ("left", "right")],
     "reference": [theirs("list_directory", "left"), theirs("list_directory", "right"),
                   theirs("read_multiple_files", paths=[f"@/{side}/{n}.txt" for side in ("left", "right") for n in (1, 2)])]},
    {"name": "check the sum of a download", "says": "6d1a",
     "ours": [ours("hash_file", "assets/big.bin", algorithm="sha256")], "reference": None},
    {"name": "look at a picture", "says": "iVBORw0KGgo",
     "ours": [ours("read_file", "assets/icon.png")], "reference": [theirs("read_media_file", "assets/icon.png")]},
    {"name": "read a file under a wrong name", "fails": 1, "says": "models.py",
     "ours": [ours("read_file", "src/core/model.py"), ours("read_file", "src/core/models.py")],
     "reference": [theirs("read_text_file", "src/core/model.py"), theirs("list_directory", "src/core"), theirs("read_text_file", "src/core/models.py")]},
    {"name": "apply a patch with wrong line numbers", "files": {"src/jobs/util.py": "RETRIES = 5"},
     "ours": [patch("src/jobs/util.py", "@@ -40,2 +40,2 @@\n-RETRIES = 3\n+RETRIES = 5\n")],
     "reference": [edit("src/jobs/util.py", "RETRIES = 3\n", "RETRIES = 5\n")]},
    {"name": "edit a file with CRLF", "files": {"win.ini": "debug=1\r\n"},
     "ours": [patch("win.ini", "@@\n-debug=0\n+debug=1\n")], "reference": [edit("win.ini", "debug=0\n", "debug=1\n")]},
    {"name": "stay out of other directories", "fails": 1, "says": "outside",
     "ours": [ours("read_file", "../secret.txt")], "reference": [theirs("read_text_file", "../secret.txt")]},
    {"name": "read a very long line", "says": "needle",
     "ours": [ours("grep", "assets", pattern="needle", glob_filter="*.json")],
     "reference": [theirs("read_text_file", "assets/min.json")]},
]
