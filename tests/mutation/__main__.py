"""`python -m tests.mutation`: how many faults, planted one at a time, are noticed by the tests.

Names choose less: a group, a module, or the end of its name: `python -m tests.mutation state slack.text`.
`--sample 8` judges one of eight mutants, `--survivors` again those that survived, `--show` what they change.
Verdicts are kept in `mutants.json` for as long as the function stays the same.
"""

import argparse
import json
import os
import sys
import zlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import pytest
from mutmut.utils.format_utils import mangled_name_from_mutant_name

from tests.mutation import mutants
from tests.mutation.groups import GROUPS, LEAST, ROOT, TESTS
from tests.mutation.judging import ENDLESS, KILLED, PATIENCE, Judge
from tests.mutation.mutants import Mutants

KEPT: Final = ROOT / "mutants.json"
"""What was judged, by module: kept as long as the module's text is the same."""

ALL: Final = tuple(module for modules in GROUPS.values() for module in modules)
QUIET: Final = (
    "-qq",
    "--assert=plain",  # nobody reads why a mutant failed
    "--tb=native",
    "--capture=no",
    "--timeout=0",
    "-pno:cacheprovider",
    "-pno:xdist",
    "-pno:playwright",
)
UNJUDGED: Final = "unjudged"


def main(arguments: Sequence[str]) -> int:
    asked = _arguments(arguments)
    os.chdir(ROOT)
    made = [mutants.of(module) for module in ALL if _is_chosen(module, asked.names)]
    mutants.put_in_place(made)
    kept = _kept(made)
    chosen = [
        name
        for module in made
        for name in module.names
        if _is_to_be_judged(kept[module.module][name], asked) and _is_in_sample(name, asked.sample)
    ]
    if asked.control:
        return _control(made, asked)
    if chosen:
        failed = _judge(chosen, made, kept, asked)
        if failed:
            print("Without any mutant, these do not pass:", *failed, sep="\n  ")
            return 2
    return _report(made, kept, asked)


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("names", nargs="*", help="groups or modules; all without any")
    parser.add_argument("--survivors", action="store_true", help="judge those that were not killed again")
    parser.add_argument("--again", action="store_true", help="judge all again")
    parser.add_argument("--sample", type=int, default=1, help="one of so many mutants, always the same ones")
    parser.add_argument("--control", action="store_true", help="judge functions that are not mutated")
    parser.add_argument("--report", action="store_true", help="judge nothing, print what is known")
    parser.add_argument("--show", action="store_true", help="print what each survivor changes")
    parser.add_argument("--children", type=int, default=2, help="processes at a time")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds of tests for each mutant")
    parser.add_argument("--tests", nargs="+", default=list(TESTS), help="tests that judge")
    return parser.parse_args(arguments)


def _is_chosen(module: str, names: Sequence[str]) -> bool:
    group = next(group for group, modules in GROUPS.items() if module in modules)
    return not names or group in names or any(module.endswith(f".{name}") for name in names)


def _is_to_be_judged(verdict: str, asked: argparse.Namespace) -> bool:
    if asked.report:
        return False
    return asked.again or verdict == UNJUDGED or (asked.survivors and verdict not in (KILLED, ENDLESS))


def _is_in_sample(name: str, one_of: int) -> bool:
    return zlib.crc32(name.encode()) % one_of == 0


def _kept(made: Sequence[Mutants]) -> dict[str, dict[str, str]]:
    """The verdicts by module and mutant, as far as the mutant's function is still the same."""
    known = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    kept: dict[str, dict[str, str]] = {module: _by_name(verdicts) for module, verdicts in known.items()}
    for module in made:
        verdicts = known.get(module.module, {})
        kept[module.module] = {name: verdicts.get(module.stamped(name), UNJUDGED) for name in module.names}
    return kept


def _by_name(verdicts: dict[str, str]) -> dict[str, str]:
    return {stamped.partition(" ")[0]: verdict for stamped, verdict in verdicts.items()}


def _keep(made: Sequence[Mutants], kept: dict[str, dict[str, str]]) -> None:
    known = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for module in made:
        verdicts = kept[module.module]
        known[module.module] = {module.stamped(name): verdicts[name] for name in module.names}
    KEPT.write_text(json.dumps(known, indent=1, ensure_ascii=False), encoding="utf-8")


def _judge(
    chosen: Sequence[str],
    made: Sequence[Mutants],
    kept: dict[str, dict[str, str]],
    asked: argparse.Namespace,
) -> Sequence[str]:
    done = 0

    def judged(mutant: str, verdict: str, killer: str) -> None:
        nonlocal done
        del killer
        done += 1
        kept[mutant.rpartition(".")[0]][mutant] = verdict
        if done % 50 == 0 or done == len(chosen):
            _keep(made, kept)
            print(f"{done} of {len(chosen)} mutants", file=sys.__stderr__, flush=True)

    judge = Judge(mutants=chosen, children=asked.children, patience=asked.patience, judged=judged)
    tests = [str(path) for pattern in asked.tests for path in sorted(ROOT.glob(pattern))]
    ended = pytest.main([*QUIET, *tests], plugins=[judge])
    if ended not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) and not judge.failed:
        return [f"pytest ended with {ended}"]
    return judge.failed


def _control(made: Sequence[Mutants], asked: argparse.Namespace) -> int:
    """Each function as it is, judged like its mutants: none of them may be killed."""
    unchanged = sorted({f"{mangled_name_from_mutant_name(name)}__mutmut_0" for m in made for name in m.names})
    kept: dict[str, dict[str, str]] = defaultdict(dict)
    failed = list(_judge(unchanged, (), kept, asked))
    failed += [
        f"{name}: {verdict}" for one in kept.values() for name, verdict in one.items() if verdict == KILLED
    ]
    print(f"{len(unchanged)} functions, unchanged; judged wrongly: {len(failed)}", *failed, sep="\n  ")
    return 1 if failed else 0


def _report(made: Sequence[Mutants], kept: dict[str, dict[str, str]], asked: argparse.Namespace) -> int:
    short = False
    for group, modules in GROUPS.items():
        known = {module: _counted(kept[module]) for module in modules if module in kept}
        if not known:
            continue
        print(f"\n{group:<40}{'mutants':>8}{'judged':>8}{'killed':>8}{'endless':>8}{'  %':>7}")
        for module, row in known.items():
            print(_row(module, row))
        total = tuple(map(sum, zip(*known.values(), strict=True)))
        print(_row(f"{group}, {len(known)} of {len(modules)} modules", total))
        short |= _share(total) < LEAST
    if asked.show:
        _show(made, kept)
    return 1 if short else 0


def _counted(verdicts: dict[str, str]) -> tuple[int, int, int, int]:
    found = list(verdicts.values())
    judged = len(found) - found.count(UNJUDGED)
    return len(found), judged, found.count(KILLED), found.count(ENDLESS)


def _share(row: Sequence[int]) -> float:
    return 100 * (row[2] + row[3]) / row[1] if row[1] else 100.0


def _row(name: str, row: Sequence[int]) -> str:
    return f"{name:<40}{row[0]:>8}{row[1]:>8}{row[2]:>8}{row[3]:>8}{_share(row):>7.1f}"


def _show(made: Sequence[Mutants], kept: dict[str, dict[str, str]]) -> None:
    for module in made:
        for name in module.names:
            verdict = kept[module.module][name]
            if verdict not in (UNJUDGED, KILLED, ENDLESS):
                print(f"\n# {name}: {verdict}\n{module.difference(name)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
