"""The mutants of a module, made by mutmut and imported in place of the module itself."""

import ast
import difflib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_loader
from types import CodeType, ModuleType

from mutmut.mutation.file_mutation import MutatedFile, mutate_file_contents
from mutmut.utils.format_utils import mangled_name_from_mutant_name

from tests.mutation.groups import source


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutants:
    """All mutants of one module. Each is a copy of a function, chosen at run time."""

    module: str
    file: MutatedFile

    @property
    def names(self) -> list[str]:
        return [f"{self.module}.{name}" for name in self.file.mutant_names]

    def stamped(self, name: str) -> str:
        """The name with a digest of the function that it is a mutant of."""
        function = mangled_name_from_mutant_name(name).removeprefix(f"{self.module}.")
        return f"{name} {self.file.hash_by_function_name[function]}"

    def difference(self, name: str) -> str:
        """What the mutant changes, as lines of a diff without their surroundings."""
        lines = self.file.code.splitlines()
        mutant = name.removeprefix(f"{self.module}.")
        original = f"{mangled_name_from_mutant_name(name).removeprefix(f'{self.module}.')}__mutmut_orig"
        before, after = (self._lines(lines, function) for function in (original, mutant))
        changed = difflib.unified_diff(before, after, n=0, lineterm="")
        return "\n".join(line for line in changed if not line.startswith(("---", "+++", "@@")))

    def _lines(self, lines: list[str], function: str) -> list[str]:
        span = self.file.line_span_by_function_name[function]
        return [line.replace(function, "it") for line in lines[span.start - 1 : span.end]]


def of(module: str) -> Mutants:
    text = _properties_as_methods(source(module).read_text(encoding="utf-8"))
    return Mutants(module=module, file=mutate_file_contents(str(source(module)), text))


def _properties_as_methods(text: str) -> str:
    """mutmut leaves alone what is decorated; a property that is made below its method is no decoration."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef(decorator_list=[ast.Name(id="property") as decorator], end_lineno=int(end)):
                lines[decorator.lineno - 1] = ""
                lines[end - 1] += f"\n\n{' ' * node.col_offset}{node.name} = property({node.name})"
            case _:
                pass
    return "\n".join(lines) + "\n"


class _Loader(SourceFileLoader):
    def __init__(self, mutants: Mutants) -> None:
        super().__init__(mutants.module, str(source(mutants.module)))
        self._code = mutants.file.code

    def get_code(self, fullname: str) -> CodeType | None:
        return compile(self._code, self.get_filename(fullname), "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def __init__(self, all_of_them: Iterable[Mutants]) -> None:
        self._mutants = {mutants.module: mutants for mutants in all_of_them}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        mutants = self._mutants.get(fullname)
        return spec_from_loader(fullname, _Loader(mutants)) if mutants else None


def put_in_place(all_of_them: Iterable[Mutants]) -> None:
    """From now on these modules are imported with their mutants."""
    sys.meta_path.insert(0, _Finder(all_of_them))
