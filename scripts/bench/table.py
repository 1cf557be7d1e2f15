"""The table of ratios."""
import sys


class Table:
    def __init__(self):
        self.rows = []

    def add(self, work, ours, peer, theirs, bar, unit="ms"):
        """One line; times are better when smaller, rates (unit `/s`) when larger."""
        if theirs is None:
            self.rows.append((work, show(ours, unit), f"{peer}: not to be had here", "", bar))
        else:
            self.rows.append((work, show(ours, unit), f"{peer}: {show(theirs, unit)}", f"{ours / theirs:.2f}", bar))
        print("  ".join(self.rows[-1]), file=sys.stderr, flush=True)

    def fact(self, work, ours, bar):
        """A figure without a peer."""
        self.rows.append((work, ours, "", "", bar))
        print("  ".join(self.rows[-1]), file=sys.stderr, flush=True)

    def markdown(self):
        lines = ["| work | ours | against | ratio | bar |", "|---|---|---|---|---|"]
        return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in self.rows])


def show(value, unit):
    if unit == "ms":
        return f"{value * 1000:.1f} ms"
    if unit == "MB":
        return f"{value:.1f} MB"
    return f"{value:,.0f}{unit}"
