"""Whether a JavaScript shell compiles against its host's own types."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from skillcaddy.standin.installing import node, typescript

_OPTIONS = {
    "checkJs": True,
    "allowJs": True,
    "noEmit": True,
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "skipLibCheck": True,
    "module": "nodenext",
    "moduleResolution": "nodenext",
    "target": "es2023",
    "lib": ["es2023", "dom"],
    "types": ["node"],
}


def compiled(
    shell: Path, folder: Path, packages: Mapping[str, Path], ambient: str = ""
) -> subprocess.CompletedProcess[str]:
    """The strict compiler's verdict on the shell, copied into `folder` beside the host's packages by their names.

    A file that lies in `folder` already is taken in place of the shell's; `ambient` are declarations added to them.
    """
    compiler = typescript()
    for name, package in {**packages, "@types/node": compiler / "@types" / "node"}.items():
        link = folder / "node_modules" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(package)
    modules = sorted(path for path in shell.iterdir() if path.suffix in (".js", ".mjs"))
    for each in (*modules, shell / "package.json"):
        if not (folder / each.name).exists():
            shutil.copy(each, folder)
    (folder / "ambient.d.ts").write_text(f"{ambient}\nexport {{}};\n", encoding="utf-8")
    project = {"compilerOptions": _OPTIONS, "files": ["ambient.d.ts", *(each.name for each in modules)]}
    (folder / "tsconfig.json").write_text(json.dumps(project), encoding="utf-8")
    return subprocess.run(
        [str(node()), str(compiler / "typescript" / "bin" / "tsc"), "-p", str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
