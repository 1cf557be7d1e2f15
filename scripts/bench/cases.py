"""What is measured, against whom, and what we ask of ourselves."""
import os
import shutil
import subprocess
import tempfile

import corpus
import http_load
import peers
from client import Client, by_turns, run_time

FILES = 42_000
TURNS = 5
MANY = 100_000_000


def grep(rows):
    """Contents: every match counted."""
    rg, home = peers.debian("rg", "ripgrep"), corpus.tree(FILES)
    searches = [("rare literal", "the_rare_one"), ("common literal", "buffer stream"), ("regular expression", r"Invalid_[0-9]{5}\)")]
    with Client(peers.our_server(home)) as us:
        for name, pattern in searches:
            ours, theirs = by_turns(
                TURNS,
                lambda: us.timed("grep", root="r", pattern=pattern, max_results=MANY),
                rg and (lambda: run_time(f"rg --no-ignore --hidden -n '{pattern}'", home)),
            )
            rows.add(f"grep, {name}, all counted", ours, "rg --no-ignore --hidden", theirs, "<= 1.0")
        ours, theirs = by_turns(
            TURNS * 2,
            lambda: us.timed("grep", root="r", pattern="buffer stream"),
            rg and (lambda: run_time("rg --no-ignore --hidden -n 'buffer stream' | head -100", home)),
        )
        rows.add("grep, first 100 of many", ours, "rg, piped to head", theirs, "<= 1.0")


def glob(rows):
    """Names, with size and time of each."""
    rg, fd, home = peers.debian("rg", "ripgrep"), peers.debian("fdfind", "fd-find"), corpus.tree(FILES)
    with Client(peers.our_server(home)) as us:
        for name, ending, bar in (("glob **/*.rs", "rs", "<= 1.0"), ("glob, nothing found: the walk alone", "none", "")):
            ours, by_rg, by_fd = by_turns(
                TURNS * 2,
                lambda: us.timed("glob", root="r", pattern=f"**/*.{ending}", max_results=MANY),
                rg and (lambda: run_time(f"rg --files --no-ignore --hidden -g '**/*.{ending}'", home)),
                fd and (lambda: run_time(f"fdfind -u -e {ending}", home)),
            )
            rows.add(name, ours, "rg --files -g", by_rg, bar)
            rows.add(name, ours, "fd", by_fd, bar)


def hash_512mb(rows):
    """Hashes, streamed through 32 KiB."""
    file = corpus.big_file("512.txt", 512)
    home = os.path.dirname(file)
    with Client(peers.our_server(home)) as us:
        for algorithm in ("sha256", "sha1", "md5"):
            ours, tool, openssl = by_turns(
                3,
                lambda: us.timed("hash_file", root="r", path="512.txt", algorithm=algorithm),
                lambda: run_time(f"{algorithm}sum 512.txt", home),
                shutil.which("openssl") and (lambda: run_time(f"openssl dgst -{algorithm} 512.txt", home)),
            )
            rows.add(f"hash {algorithm}, 512 MB", ours, f"{algorithm}sum", tool, "<= 1.0")
            rows.add(f"hash {algorithm}, 512 MB", ours, "openssl dgst", openssl, "<= 1.0")


def others():
    return [("rust-mcp-filesystem", peers.rust_server()), ("reference server", peers.reference_server())]


def start(rows):
    """From nothing to the list of tools."""
    home = tempfile.mkdtemp()

    def once(command):
        with Client(command) as client:
            client.request("tools/list", {})
            import time
            return time.perf_counter() - client.started

    for (name, command), bar in zip(others(), ("<= 1.0", "<= 0.05")):
        ours, theirs = by_turns(10, lambda: once(peers.our_server(home)), command and (lambda: once(command(home))))
        rows.add("start to answered tools/list", ours, name, theirs, bar)


def idle_memory(rows):
    """Resident memory after start."""
    home = tempfile.mkdtemp()
    with Client(peers.our_server(home)) as us:
        us.request("tools/list", {})
        ours = us.memory()
    name, command = others()[0]
    theirs = None
    if command:
        with Client(command(home)) as them:
            them.request("tools/list", {})
            theirs = them.memory()
    rows.add("idle resident memory", ours, name, theirs, "<= 1.3", "MB")


def small_reads(rows):
    """One client, one call after the other."""
    home = tempfile.mkdtemp()
    with open(os.path.join(home, "small.txt"), "w") as file:
        file.write("hello\n" * 20)

    def rate(client, tool, arguments, calls=2_000):
        return calls / sum(client.timed(tool, **arguments) for _ in range(calls))

    bars = (">= 1.2", ">= 5")
    for (name, command), bar in zip(others(), bars):
        with Client(peers.our_server(home)) as us:
            ours = max(rate(us, "read_file", {"root": "r", "path": "small.txt"}) for _ in range(3))
        theirs = None
        if command:
            with Client(command(home)) as them:
                theirs = max(rate(them, "read_text_file", {"path": os.path.join(home, "small.txt")}) for _ in range(3))
        rows.add("small reads, one client, stdio", ours, name, theirs, bar, "/s")


def http_reads(rows):
    """64 clients over HTTP."""
    ours, theirs = http_load.compare()
    rows.add("small reads, 64 clients, HTTP", ours, "reference SDK answering a constant", theirs, ">= 5", "/s")


def listings_and_ranges(rows):
    """A folder of 10,000 entries, a file of 1 MB, the end of a file of 1 GB."""
    home = os.path.join(peers.CACHE, "big")
    corpus.big_file("1gb.txt", 1024)
    corpus.big_file("1mb.txt", 1)
    os.truncate(os.path.join(home, "1mb.txt"), 1_000_000)
    folder = os.path.join(home, "many")
    os.makedirs(folder, exist_ok=True)
    for number in range(10_000):
        open(os.path.join(folder, f"entry{number:05}"), "a").close()
    command = peers.reference_server()
    them = Client(command(home)) if command else None
    with Client(peers.our_server(home)) as us:
        ours, theirs = by_turns(
            TURNS,
            lambda: us.timed("list_folder", root="r", path="many"),
            them and (lambda: them.timed("list_directory_with_sizes", path=folder)),
        )
        rows.add("list 10,000 entries with sizes", ours, "reference server", theirs, "<= 1.0")
        ours, theirs = by_turns(
            TURNS,
            lambda: us.timed("read_file", root="r", path="1mb.txt"),
            them and (lambda: them.timed("read_text_file", path=os.path.join(home, "1mb.txt"))),
        )
        rows.add("read 1 MB", ours, "reference server", theirs, "<= 1.0")
        total = us.call("read_file", root="r", path="1gb.txt", offset_lines=1, limit_lines=1)["structuredContent"]["lines_total"]
        first = total - 9
        ours, sed, tail = by_turns(
            3,
            lambda: us.timed("read_file", root="r", path="1gb.txt", offset_lines=first, limit_lines=10),
            lambda: run_time(f"sed -n '{first},{total}p' 1gb.txt", home),
            lambda: run_time(f"tail -n +{first} 1gb.txt", home),
        )
        rows.add("last 10 lines of 1 GB, by number", ours, "sed -n", sed, "<= 1.0")
        rows.add("last 10 lines of 1 GB, by number", ours, "tail -n +N", tail, "<= 1.0")
    if them:
        them.close()


def peak_memory(rows):
    """Memory does not grow with the file."""
    home = os.path.join(peers.CACHE, "big")
    corpus.big_file("4gb.txt", 4096)
    works = [
        ("hash", "hash_file", {"path": "4gb.txt", "algorithm": "sha256", "root": "r"}),
        ("ranged read", "read_file", {"path": "4gb.txt", "offset_lines": 50_000_000, "limit_lines": 5, "root": "r"}),
        ("copy", "copy", {"source_root": "r", "source_path": "4gb.txt", "dest_root": "r", "dest_path": "copy.txt"}),
    ]
    for name, tool, arguments in works:
        with Client(peers.our_server(home)) as us:
            us.request("tools/list", {})
            idle = us.memory()
            us.call(tool, **arguments)
            rows.fact(f"peak memory above idle, {name} of 4 GB", f"{us.memory('VmHWM') - idle:.1f} MB", "<= 20 MB")
    os.remove(os.path.join(home, "copy.txt"))


def trees(rows):
    """A tree of 20,000 files copied and removed."""
    home = corpus.tree(20_000, 2_000)
    with Client(peers.our_server(peers.CACHE)) as us:
        name = os.path.basename(home)

        def copied():
            subprocess.run(["rm", "-rf", os.path.join(peers.CACHE, "ours")], check=False)
            subprocess.run(["sync"], check=False)
            return us.timed("copy", source_root="r", source_path=name, dest_root="r", dest_path="ours")

        def copied_by_cp():
            subprocess.run(["rm", "-rf", os.path.join(peers.CACHE, "theirs")], check=False)
            subprocess.run(["sync"], check=False)
            return run_time(f"cp -a {name} theirs && sync -f theirs", peers.CACHE)

        def removed():
            run_time(f"cp -a {name} ours2 && sync", peers.CACHE)
            return us.timed("remove_folder", root="r", path="ours2")

        def removed_by_rm():
            run_time(f"cp -a {name} theirs2 && sync", peers.CACHE)
            return run_time("rm -rf theirs2", peers.CACHE)

        ours, theirs = by_turns(3, copied, copied_by_cp)
        rows.add("copy 20,000 files, durable", ours, "cp -a, then sync -f", theirs, "<= 1.2")
        ours, theirs = by_turns(3, removed, removed_by_rm)
        rows.add("remove 20,000 files", ours, "rm -rf", theirs, "<= 1.2")
    run_time("rm -rf ours theirs ours2 theirs2", peers.CACHE)


def growth():
    """How the cost grows with the tree."""
    lines = ["", "| files | grep, rare literal | grep, first 100 | glob, all names |", "|---|---|---|---|"]
    for files in (1_000, 10_000, 100_000):
        home = corpus.tree(files, 2_000)
        with Client(peers.our_server(home)) as us:
            rare, first, names = by_turns(
                TURNS,
                lambda: us.timed("grep", root="r", pattern="the_rare_one", max_results=MANY),
                lambda: us.timed("grep", root="r", pattern="buffer"),
                lambda: us.timed("glob", root="r", pattern="**/*", max_results=MANY),
            )
        lines.append(f"| {files:,} | {rare * 1000:.1f} ms | {first * 1000:.1f} ms | {names * 1000:.1f} ms |")
    return "\n".join(lines)


ALL = [grep, glob, hash_512mb, start, idle_memory, small_reads, http_reads, listings_and_ranges, peak_memory, trees]
