#!/usr/bin/env bash
# The commands as a user meets them, in a small course made up here: cli_test.sh PROGRAM
set -u
program=$(realpath "$1")
. "$(dirname "$0")/shell_testing.sh"
fake_course

# Help and mistakes.
verbs=$("$program" --help | sed -n '/^Subcommands/,$s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$verbs")" -ge 16 ] || fail "the help names only: $verbs"
for verb in $verbs; do
  expect 0 'Example: ./course '"$verb" "$program" "$verb" --help
done
expect 0 'Wait Less' "$program" --help
expect 2 "^course: there is no command 'tset'; the nearest is test$" "$program" tset 01
expect 2 "^course: there is no chapter '07'; the nearest is 01_first$" "$program" test 07
mkdir solutions/12_second_part
expect 2 "'99'; the nearest is 12_second_part$" "$program" test 99
expect 2 "'4'; the nearest is 01_first$" "$program" test 4
expect 2 "'o1'; the nearest is 01_first$" "$program" test o1
expect 2 "'part'; the nearest is 12_second_part$" "$program" test part
expect 2 "'sekond_part'; the nearest is 12_second_part$" "$program" test sekond_part
rmdir solutions/12_second_part
expect 2 "^course: there is no exercise '1.7'; the nearest is 1.1$" "$program" hint 1.7
expect 2 'see ./course test --help$' "$program" test 01 --nonsense
expect 2 'see ./course --help$' "$program"
expect 2 "^course: there is no model to fetch 'gpt'; the nearest is smollm2$" "$program" fetch gpt
expect 2 "^course: $folder is a folder, not a file$" env WAITLESS_CACHE="$folder/cache" "$program" fetch smollm2 --from "$folder"
rmdir cache
(cd / && WAITLESS_ROOT='' expect 2 'this is no clone of the course' "$program" list) || failures=$((failures + 1))

# Commands that chapters bring.
printf 'verb,summary\nsing,"what it sounds like, if at all"\n' >tests/01_first/verbs.csv
expect 0 '^  sing +what it sounds like, if at all \(chapter 01\)$' "$program" --help
expect 0 'Chapter 01 brings ./course sing: what it sounds like, if at all\.$' "$program" list
expect 2 "there is no command 'sink'; the nearest is sing$" "$program" sink
printf 'verb,summary\nlist,mine\n' >tests/01_first/verbs.csv
expect 2 'chapter 01_first brings the verb list, which ./course has already$' "$program" test 01
printf 'name,summary\nsing,mine\n' >tests/01_first/verbs.csv
expect 2 'tests/01_first/verbs.csv: its columns must be verb and summary$' "$program" list
rm tests/01_first/verbs.csv

# Starters, and what a student does with them.
expect 1 'chapters/01_first/twice.cpp: missing' "$program" starters --check
expect 0 'wrote chapters/01_first/twice.cpp' "$program" starters
expect 0 'up to date' "$program" starters
expect 0 'show nothing of them' "$program" starters --check
expect 0 'No differences' "$program" diff 1
echo '// my work' >>chapters/01_first/twice.cpp
expect 0 '^\+// my work$' "$program" diff 01
expect 0 '^\+  return 2 \* x;$' "$program" diff 01 --solution
expect 1 'edited by hand' "$program" starters --check
expect 0 'left alone: chapters/01_first/twice.cpp' "$program" starters
expect 2 "there is no starter 'twise.cpp'; the nearest is twice.cpp" "$program" reset 01 --file twise.cpp
expect 0 'is kept in build/backups/' "$program" reset 01 --file twice.cpp
grep -q '// my work' build/backups/*/01_first/twice.cpp || fail 'reset kept no backup'
expect 0 'No differences' "$program" diff 01
rm chapters/01_first/twice.h
expect 0 'reset chapters/01_first/twice.h' "$program" reset 01
expect 0 'return 2 \* x;' "$program" solution 1.1
expect 0 'hint 1 of 2' "$program" hint 1.1
expect 0 'hint 2 of 2' "$program" hint 1.1
expect 0 '01  first  0 of 15 points  start with chapters/01_first/README.md' "$program" list

# Colour on a terminal only, and not with NO_COLOR.
escape=$(printf '\033')
[ "$("$program" list | grep -c "$escape")" = 0 ] || fail 'colour in a file'
no_terminal=
if TERM=xterm script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  on_terminal() { TERM=xterm script -qec "'$program' list" /dev/null </dev/null | grep -c "$escape"; }
  [ "$(NO_COLOR='' on_terminal)" = 1 ] || fail 'no colour on a terminal'
  [ "$(NO_COLOR=1 on_terminal)" = 0 ] || fail 'colour although NO_COLOR asks for none'
else
  no_terminal='util-linux with its script, or a pseudo-terminal for it, is missing: colours are not tested'
fi

# An interrupted download leaves nothing behind.
mkdir -p bin
printf '#!/bin/sh\n[ "$2" = pip ] && touch "$TMPDIR/started" && exec sleep 60\n' >bin/python3
chmod +x bin/python3
export WAITLESS_CACHE="$PWD/cache"
PATH=$PWD/bin:$PATH "$program" fetch smollm2 >/dev/null 2>&1 &
for _ in $(seq 100); do ls cache/*/started >/dev/null 2>&1 && break; sleep 0.1; done
kill -INT $!
wait $!
[ $? = 130 ] || fail 'an interrupted fetch does not end with status 130'
[ -z "$(ls -A cache)" ] || fail "an interrupted fetch leaves $(ls -A cache)"

if [ "$no_terminal" ] && [ $failures = 0 ]; then
  echo "$no_terminal"
  exit 77
fi
finish
