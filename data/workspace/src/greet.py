"""Greet people by name."""

import sys


def greeting(name):
    # TODO: an empty name greets nobody
    return f"Hello, {name}!"


def main(names):
    for name in names:
        print(greeting(name))


if __name__ == "__main__":
    main(sys.argv[1:])
