"""Trees to work on: source-like text, the same on every machine."""
import os
import random
import shutil

from peers import CACHE

WORDS = ("let mut value result error config buffer stream parse write read open close index count size total handle "
         "request response client server session token path name entry file directory walk match pattern line column").split()
ENDINGS = [".rs", ".rs", ".rs", ".c", ".h", ".py", ".md", ".json"]


def tree(files, bytes_each=12_500):
    """A tree of so many files, made once."""
    home = os.path.join(CACHE, f"tree-{files}-{bytes_each}")
    if not os.path.exists(os.path.join(home, ".done")):
        make(home, files, bytes_each)
    return home


def make(home, files, bytes_each):
    shutil.rmtree(home, ignore_errors=True)
    rng = random.Random(42)
    pool = [line(rng) for _ in range(20_000)]
    for number in range(files):
        folder = os.path.join(home, f"pkg{number // 400:03}", f"mod{number // 20 % 20:02}")
        os.makedirs(folder, exist_ok=True)
        size, text = rng.randrange(bytes_each // 4, bytes_each * 7 // 4), []
        while size > 0:
            text.append(rng.choice(pool))
            size -= len(text[-1])
        if number % 10_000 == 7:
            text.append("    let needle = the_rare_one();\n")
        with open(os.path.join(folder, f"file{number:06}{ENDINGS[number % len(ENDINGS)]}"), "w") as file:
            file.write("".join(text))
    open(os.path.join(home, ".done"), "w").close()


def line(rng):
    words = " ".join(rng.choice(WORDS) for _ in range(rng.randrange(3, 12)))
    extra = rng.random()
    if extra < 0.01:
        words += f" return Err(Error::Invalid_{rng.randrange(100000)});"
    return "    " * rng.randrange(4) + words + "\n"


def big_file(name, megabytes):
    """A file of numbered lines."""
    os.makedirs(os.path.join(CACHE, "big"), exist_ok=True)
    target = os.path.join(CACHE, "big", name)
    if not os.path.exists(target) or os.path.getsize(target) < megabytes << 20:
        block = "".join(f"{n:09} the quick brown fox jumps over the lazy dog and goes on and on\n" for n in range(14_000)).encode()
        with open(target, "wb") as file:
            while file.tell() < megabytes << 20:
                file.write(block)
    return target
