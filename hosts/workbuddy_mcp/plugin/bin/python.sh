# Sourced by the two launchers: finds the Python that has skillcaddy, and runs one of its entry points.
#
# 1. the interpreter recorded in the plugin's data folder, by the user or by an earlier run;
# 2. SKILLCADDY_PYTHON; 3. the interpreter of `skillcaddy` on PATH; 4. python3, python and their usual places.
# -P keeps the working directory, which is the user's workspace, off the import path.

plugin=$(cd "${0%/*}/.." 2>/dev/null && pwd)

data=${CODEBUDDY_PLUGIN_DATA:-${CLAUDE_PLUGIN_DATA:-}}
if [ -z "$data" ]; then
  # <config>/plugins/cache/<marketplace>/<plugin>/<version> keeps its data in <config>/plugins/data/<plugin>-<marketplace>
  case $plugin in
    */plugins/cache/*/*/*)
      upper=${plugin%/*} && name=${upper##*/} && upper=${upper%/*} && market=${upper##*/} && upper=${upper%/cache/*}
      case $name-$market in *[!A-Za-z0-9._-]*) ;; *) data=$upper/data/$name-$market ;; esac
      ;;
  esac
fi
record=${data:+$data/python}

# True when our code ran in this interpreter, whatever came of it; false when it has no engine or is too old.
run_in() {
  "$1" -P -c "import sys
try:
    from skillcaddy_workbuddy.entry import $2
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(97)
$2()"
  case $? in 2 | 97 | 126 | 127) return 1 ;; esac
}

probe='import sys, tantivy, skillcaddy_workbuddy.entry; sys.stdout.write(sys.executable)'

# The absolute path of the first interpreter that has the engine; empty where there is none.
find_python() {
  script=$(command -v skillcaddy 2>/dev/null) || script=$HOME/.local/bin/skillcaddy
  shebang=
  [ -r "$script" ] && IFS= read -r shebang <"$script" 2>/dev/null
  case $shebang in '#!'/*) shebang=${shebang#??} ;; *) shebang= ;; esac
  for candidate in "${SKILLCADDY_PYTHON:-}" "$shebang" python3 python \
    "$HOME/.local/bin/python3" /opt/homebrew/bin/python3 /usr/local/bin/python3; do
    [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 || continue
    found=$("$candidate" -P -c "$probe" 2>/dev/null </dev/null) && [ -x "$found" ] && printf '%s' "$found" && return
  done
}

# Runs the entry point named $1; false when no interpreter has the engine.
run_entry() {
  if [ -n "$record" ] && [ -r "$record" ]; then
    IFS= read -r known <"$record" || :
    [ -n "$known" ] && [ -x "$known" ] && run_in "$known" "$1" && return 0
  fi
  known=$(find_python)
  [ -n "$known" ] || return 1
  if [ -n "$record" ]; then
    { mkdir -p "$data" && printf '%s\n' "$known" >"$record.$$" && mv -f "$record.$$" "$record"; } 2>/dev/null
    rm -f "$data/told" 2>/dev/null
  fi
  run_in "$known" "$1"
}
