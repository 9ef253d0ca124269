# Read by the shell tests of ./course.

failures=0
fail() {
  echo "$(basename "$0"): $*" >&2
  failures=$((failures + 1))
}

# expect STATUS PATTERN COMMAND...: the command ends with this status and prints a line like this.
expect() {
  local status=$1 pattern=$2 output
  shift 2
  output=$("$@" 2>&1 </dev/null)
  local got=$?
  [ $got = "$status" ] || fail "status $got instead of $status: $* said: $output"
  grep -Eq -- "$pattern" <<<"$output" || fail "no line '$pattern' from: $* said: $output"
}

finish() {
  [ $failures = 0 ] && echo "$(basename "$0"): all is well"
  exit $((failures > 0))
}

# edit FILE SCRIPT: what sed makes of a file; not all of them have -i.
edit() { sed "$2" "$1" >"$1.edited" && mv "$1.edited" "$1"; }

# Makes a temporary folder with a space in its name and goes there; it is deleted at the end.
temporary_folder() {
  folder=$(mktemp -d "${TMPDIR:-/tmp}/waitless test XXXXXX")
  folder=$(cd "$folder" && pwd -P)
  trap 'cd / && rm -rf "$folder"' EXIT
  cd "$folder" || exit 1
}

# A course with one chapter, 01_first, in a temporary folder.
fake_course() {
  temporary_folder
  export WAITLESS_ROOT=$folder WAITLESS_BUILD=build/default
  mkdir -p solutions/01_first chapters/01_first tests/01_first build/default
  touch course
  cat >solutions/01_first/twice.h <<'CPP'
int twice(int x);
int four_times(int x);
CPP
  cat >solutions/01_first/twice.cpp <<'CPP'
#include "twice.h"

int twice(int x) {
  // EXERCISE(1.1): double it.
  // SOLUTION_BEGIN(1.1)
  return 2 * x;
  // SOLUTION_END(1.1)
}

int four_times(int x) {
  // EXERCISE(1.2): use twice().
  // SOLUTION_BEGIN(1.2)
  return twice(twice(x));
  // SOLUTION_END(1.2)
}
CPP
  cat >tests/01_first/rubric.json <<'JSON'
{"chapter": "01_first", "exercises": [
  {"id": "1.1", "title": "twice", "file": "twice.cpp", "function": "twice", "track": "cpu", "points": 10,
   "tests": {"basic": ["Twice.DoublesTheNumber"], "edge": ["Twice.KeepsZero"]}},
  {"id": "1.2", "title": "four times", "file": "twice.cpp", "function": "four_times", "track": "cpu", "points": 5,
   "needs": ["1.1"], "tests": {"basic": ["FourTimes.DoublesTwice"]}}
]}
JSON
  printf '| id | file | points |\n|---|---|---|\n| 1.1 | `twice.cpp` | 10 |\n| 1.2 | `twice.cpp` | 5 |\n' >chapters/01_first/README.md
  printf '## 1.1 twice\n### Level 1\nAdd.\n### Level 2\nx + x\n' >chapters/01_first/hints.md
}
