"""Writes the next larger model of two of PRISM's case studies, whose files end below the papers' sizes.

    extend.py mutual6.nm > mutual7.nm        the mutual exclusion of Pnueli and Zuck, one process more
    extend.py phil_lss4.nm > phil_lss5.nm    the timed philosophers of Lynch, Saias and Segala, one more

The file's own text is extended by its own pattern: nothing of a case study stands here.
"""

import itertools
import re
import sys


def mutual(text, n):
    """One process more: each formula's term for process n again for the new one, and its renaming."""
    new = f"p{n + 1}"
    # A formula's or a label's last term, with the operator before it.
    term = re.compile(rf"([&|]!?\((?:[^()]*\bp{n}\b[^()]*)\))(;)")
    text, terms = term.subn(lambda m: m[1] + re.sub(rf"\bp{n}\b", new, m[1]) + m[2], text)
    renaming = re.compile(rf"(module process){n}( = process1 \[ p1=)p{n}(, )p{n}(=p1 \] endmodule\n)")
    text, renamings = renaming.subn(lambda m: m[0] + f"{m[1]}{n + 1}{m[2]}{new}{m[3]}{new}{m[4]}", text)
    return text, terms >= 5 and renamings == 1


def phil_lss(text, n):
    """One philosopher more: the counters' formulas and commands anew, and every renaming."""
    text, found = re.subn(r"formula n?(can|count)\d+ .*\n", "", text)
    text, counters = re.subn(r"(?s)(module counter\n).*?(?=\s*endmodule)", lambda m: counter_module(n + 1), text)
    text, renamings = re.subn(r"module phil\d+=phil1 .*\n", "", text)
    renamed = "".join(renaming(i, n + 1) for i in range(2, n + 2))
    text, first = re.subn(r"(?s)(module phil1\n.*?endmodule\n)", lambda m: m[1] + "\n" + renamed, text)
    text, steps = re.subn(rf"(\t\[s){n}(\] true : 1;\n)", lambda m: m[0] + f"{m[1]}{n + 1}{m[2]}", text)
    text, places = re.subn(r"(?=module counter\n)", formulas(n + 1), text)
    expected = (found, counters, renamings, first, steps, places) == (3 * n, 1, n - 1, 1, 1, 1)
    return text, expected


def others(i, n):
    return [j for j in range(1, n + 1) if j != i]


def formulas(n):
    """Who may go without making the j that would then be last wait for more than K steps."""
    lines = []
    for i in range(1, n + 1):
        late = []
        for size in range(1, n):
            bound = "K" if size == 1 else f"K-{size - 1}"
            for group in itertools.combinations(others(i, n), size):
                late.append("(" + " & ".join(f"(c{j}={bound})" for j in group) + ")")
        lines.append(f"formula can{i} = !({' | '.join(late)});\n")
    lines += [f"formula count{i} = (p{i}!=13) & (p{i}!=0);\n" for i in range(1, n + 1)]
    lines += [f"formula ncount{i} = (p{i}=13) | (p{i}=0);\n" for i in range(1, n + 1)]
    return "".join(lines) + "\n"


def counter_module(n):
    lines = ["module counter\n"] + [f"\tc{i} : [0..K];" for i in range(1, n + 1)]
    for i in range(1, n + 1):
        for counted in itertools.product([False, True], repeat=n - 1):
            who = list(zip(others(i, n), counted))
            guard = "".join(f" & {'' if c else 'n'}count{j}" for j, c in who)
            update = "".join(f" & (c{j}'=c{j}+1)" for j, c in who if c)
            lines.append(f"\t[s{i}] can{i}{guard} -> (c{i}'=0){update};")
    return "\n".join(lines)


def renaming(i, n):
    """Philosopher i sees the others as the first does, turned round the table."""
    turned = ", ".join(f"p{j}=p{(i + j - 2) % n + 1}" for j in range(1, n + 1))
    return f"module phil{i}=phil1 [{turned}, s1=s{i}] endmodule\n"


def main():
    path = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    name = re.search(r"(mutual|phil_lss)(\d+)\.\w+$", path) or sys.exit(f"{path}: neither mutualN nor phil_lssN")
    with open(path, encoding="utf-8") as file:
        text, expected = {"mutual": mutual, "phil_lss": phil_lss}[name[1]](file.read(), int(name[2]))
    if not expected:
        sys.exit(f"{path}: not the pattern of {name[0]}")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
