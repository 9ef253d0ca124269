# What the course needs from the system. Read by ./course, which sets root, yes and stop(); plain sh.
# shellcheck shell=sh disable=SC2154

# name | what it is for | Debian and Ubuntu packages, ? if they have to be looked up | what is missing without it
packages() {
  cat <<'TABLE'
compiler|build|g++|nothing can be built (needed: g++ 11 or clang 14, or newer)
cmake|build|cmake|nothing can be built (needed: 3.22 or newer)
ninja|build|ninja-build|builds use make, which is slower
eigen|build|libeigen3-dev|it is downloaded for the build
gtest|build|libgtest-dev|it is downloaded for the build
benchmark|build|libbenchmark-dev|it is downloaded for the build
cli11|build|libcli11-dev|it is downloaded for the build
json|build|nlohmann-json3-dev|it is downloaded for the build
pcre2|build|libpcre2-dev|it is downloaded for the build
pip|fetch|python3-pip|./course fetch needs --from FILE
doxygen|docs|doxygen|./course docs
gnuplot|plot|gnuplot-nox|plots of the benchmarks
clang|fuzz|clang libclang-rt-dev|./course check without the fuzz tests
make|compare|make|./course check without the test of ./course new
second g++|compare|?|./course check without comparing the counters of kernels between two versions of g++
nvcc|gpu||CUDA on a real GPU; without it CUDA code runs on the processor
TABLE
}

has_command() { command -v "$1" >/dev/null 2>&1; }

# at_least VERSION MINIMUM, each "major.minor..."
at_least() {
  major=${1%%.*} rest=${1#*.}
  [ "$rest" = "$1" ] && rest=0
  minor=${rest%%.*}
  [ "$major" -gt "${2%%.*}" ] || { [ "$major" -eq "${2%%.*}" ] && [ "$minor" -ge "${2#*.}" ]; }
} 2>/dev/null

# $CXX may be a path with spaces in it, or have a launcher in front: CXX="ccache g++".
compiler_launcher() {
  case ${CXX:-} in "ccache "* | "sccache "* | "distcc "*) [ -x "$CXX" ] || command -v "${CXX%% *}" ;; esac
}

is_new_enough() {
  minimum=11.0
  "$1" --version 2>/dev/null | grep -q clang && minimum=14.0
  at_least "$("$1" -dumpversion 2>/dev/null)" "$minimum"
}

# The C++ compiler: what CXX says, otherwise the first of the usual names that is new enough.
compiler() {
  if [ "${CXX:-}" ]; then
    chosen=$CXX
    [ "$(compiler_launcher)" ] && chosen=${CXX#* }
    has_command "$chosen" && is_new_enough "$chosen" && command -v "$chosen"
    return
  fi
  for candidate in c++ g++ clang++ $(numbered g++ 11) $(numbered clang++ 14); do
    has_command "$candidate" && is_new_enough "$candidate" && command -v "$candidate" && return
  done
  return 1
}

# numbered NAME MINIMUM: NAME-30 down to NAME-MINIMUM
numbered() {
  n=30
  while [ "$n" -ge "$2" ]; do
    echo "$1-$n"
    n=$((n - 1))
  done
}

gcc_version() {
  version=$("$1" -dumpversion 2>/dev/null)
  echo "${version%%.*}"
}

# A g++ of another version than the first that there is.
second_gcc() {
  first=
  for candidate in g++ $(numbered g++ 11); do
    has_command "$candidate" || continue
    "$candidate" --version | grep -q clang && continue
    version=$(gcc_version "$candidate")
    [ "${version:-0}" -ge 11 ] && [ "$version" != "${first:=$version}" ] && echo "$candidate" && return
  done
  return 1
}

# The newest package that brings one, where the system has such a package.
second_gcc_package() {
  known=$(apt-cache search --names-only '^g\+\+-[0-9]+$' 2>/dev/null | sed 's/ .*//')
  for candidate in $(numbered g++ 11); do
    [ "$candidate" != "g++-$(gcc_version g++)" ] && printf '%s\n' "$known" | grep -qx -- "$candidate" && echo "$candidate" && return
  done
}

# The third column of the table: nothing if the system has no such package.
apt_packages() {
  if [ "$1" = '?' ]; then second_gcc_package; else echo "$1"; fi
}

# A file of a library, where a system without dpkg may have it.
has_header() {
  for folder in /usr/include /usr/local/include /opt/homebrew/include; do
    [ -e "$folder/$1" ] || [ -e "$folder/eigen3/$1" ] && return
  done
  return 1
}

has_library() {  # Debian package, header
  if has_command dpkg-query; then
    dpkg-query -W -f '${Status}\n' "$1" 2>/dev/null | grep -q 'ok installed'
  else
    has_header "$2"
  fi
}

has_package() {
  case $1 in
    compiler) compiler >/dev/null ;;
    cmake) has_command cmake && at_least "$(cmake --version | sed -n '1s/[^0-9]*//p')" 3.22 ;;
    ninja) has_command ninja ;;
    eigen) has_library libeigen3-dev Eigen/Core ;;
    gtest) has_library libgtest-dev gtest/gtest.h ;;
    benchmark) has_library libbenchmark-dev benchmark/benchmark.h ;;
    cli11) has_library libcli11-dev CLI/CLI.hpp ;;
    json) has_library nlohmann-json3-dev nlohmann/json.hpp ;;
    pcre2) has_library libpcre2-dev pcre2.h ;;
    pip) has_command python3 && python3 -m pip --version >/dev/null 2>&1 ;;
    doxygen) has_command doxygen ;;
    gnuplot) has_command gnuplot ;;
    clang) has_command clang++ && ls "$(clang++ -print-resource-dir)"/lib/*/libclang_rt.fuzzer*.a >/dev/null 2>&1 ;;
    make) has_command make ;;
    "second g++") second_gcc >/dev/null ;;
    nvcc) has_command nvcc || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ] ;;
  esac
}

doctor() {
  packages | while IFS='|' read -r name _ apt without; do
    if has_package "$name"; then
      echo "installed  $name"
    else
      apt=$(apt_packages "$apt")
      echo "missing    $name: $without${apt:+ (Debian, Ubuntu: apt-get install $apt)}"
    fi
  done
  model=${WAITLESS_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/waitless}/SmolLM2-135M-Instruct.Q4_1.gguf
  if [ -f "$model" ]; then
    echo "installed  smollm2"
  else
    echo "missing    smollm2: runs and tests with the real model (./course fetch smollm2)"
  fi
}

# What a command uses, as the second column of the table names it.
uses() {
  case $1 in
    fetch) echo build fetch ;;
    docs) echo build docs ;;
    plot) echo build plot ;;
    check) echo build fetch docs fuzz compare ;;
    "check "*) echo build fetch ;;
    *) echo build ;;
  esac
}

# Debian packages that a command uses and this machine lacks.
missing_packages() {
  used=" $(uses "$1") "
  packages | while IFS='|' read -r name for apt _; do
    case $used in *" $for "*) has_package "$name" || apt_packages "$apt" ;; esac
  done | tr -s '\n' ' ' | sed 's/ *$//'
}

# Installs them if it may. If it may not, it says what to ask for, and CMake downloads the libraries.
install_missing() {
  lacking=$(missing_packages "$1")
  [ -n "$lacking" ] || return 0
  declined=$root/build/course/declined
  if [ "$yes" ] || [ "$lacking" != "$(cat "$declined" 2>/dev/null)" ]; then
    if ! offer_installation "$1" "$lacking"; then
      mkdir -p "$root/build/course" && echo "$lacking" >"$declined"
    fi
  fi
  if [ "${CXX:-}" ] && ! has_package compiler; then
    stop "CXX is set to $CXX, which is no C++ compiler that is new enough: g++ 11 or clang 14"
  fi
  has_package compiler || stop "a C++ compiler is needed: g++ 11 or clang 14, or newer"
  has_package cmake || stop "CMake 3.22 or newer is needed"
  has_command ninja || has_command make || stop "ninja or make is needed"
}

offer_installation() {
  echo "./course $1 uses packages that are not installed: $2" >&2
  as_root=
  if ! has_command apt-get; then
    echo "Please install them with your system's package manager, under the names that it has for them." >&2
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! has_command sudo; then
      echo "Please ask your administrator for: apt-get install $2" >&2
      return 1
    fi
    as_root=sudo
  fi
  if [ -z "$yes" ]; then
    answer=
    if [ -t 0 ]; then
      printf 'Install them now with %s? [y/N] ' "${as_root:+sudo }apt-get" >&2
      read -r answer
    fi
    case $answer in
      [yY]*) ;;
      *) echo "Not installed. To do it yourself: ${as_root:+sudo }apt-get install $2" >&2; return 1 ;;
    esac
  fi
  # `dpkg --configure -a` ends an installation that was interrupted earlier.
  export DEBIAN_FRONTEND=noninteractive
  $as_root dpkg --configure -a >/dev/null 2>&1
  known=
  $as_root apt-get -qq update || echo "The lists of packages could not be updated." >&2
  for package in $2; do  # older systems have some of them inside another one
    apt-cache show "$package" >/dev/null 2>&1 && known="$known $package"
  done
  # shellcheck disable=SC2086  # the list is split on purpose
  $as_root apt-get -qq -y --no-install-recommends install $known >&2 && return
  echo "The installation failed. Please ask your administrator for: apt-get install $2" >&2
  return 1
}
