#include "gnuplot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "rattleback/report/file_error.hpp"

extern char** environ;

namespace rattleback::detail {

namespace {

/// A file in memory: the child's input and messages need neither pipes that fill nor a disk.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(::memfd_create(name, MFD_CLOEXEC)) {
    if (file_ < 0) throw Error(std::string("no memory for a plot: ") + std::strerror(errno));
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int file() const { return file_; }
  void write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw Error(std::string("no memory for a plot: ") + std::strerror(errno));
      done += static_cast<std::size_t>(n);
    }
    ::lseek(file_, 0, SEEK_SET);
  }
  std::string read() const {
    const off_t end = ::lseek(file_, 0, SEEK_END);
    std::string text(end > 0 ? static_cast<std::size_t>(end) : 0, '\0');
    const ssize_t n = ::pread(file_, text.data(), text.size(), 0);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }

 private:
  int file_;
};

/// The line that says what is wrong: gnuplot shows the command and a caret before it.
std::string complaint(const std::string& said) {
  std::string best;
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    const std::string line = said.substr(at, end - at);
    if (line.find_first_not_of(" \t^") != std::string::npos) best = line;
    at = end + 1;
  }
  const std::size_t begin = best.find_first_not_of(" \t");
  return begin == std::string::npos ? "it did not say why" : best.substr(begin);
}

/// Ours without what tells gnuplot where to find files, drivers and fonts, or what to draw on.
std::vector<char*> environment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with("GNU")) kept.push_back(*variable);
  kept.push_back(nullptr);
  return kept;
}

/// What the program writes on its standard output. Throws Error with what it said.
std::string output_of(const std::string& program, const std::string& script) {
  const MemoryFile input("gnuplot-script"), output("gnuplot-picture"), messages("gnuplot-messages");
  input.write(script);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.file(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.file(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.file(), STDERR_FILENO);
  // Without the user's own start-up file.
  std::string name = program, option = "-d";
  char* arguments[] = {name.data(), option.data(), nullptr};
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environment().data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    throw Error("plots are drawn by '" + program +
                "', which is not installed (Debian: apt install gnuplot-nox)");
  if (error != 0) throw Error("cannot start '" + program + "': " + std::strerror(error));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    throw Error("'" + program + "' was ended by signal " + std::to_string(WTERMSIG(status)));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error("'" + program + "' failed: " + complaint(messages.read()));
  std::string picture = output.read();
  if (picture.empty()) throw Error("'" + program + "' drew nothing: " + complaint(messages.read()));
  return picture;
}

/// Where the picture goes. A new file goes away again if nothing could be put in it.
class PictureFile {
 public:
  explicit PictureFile(const std::string& path) : path_(path) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    new_ = file_ >= 0;
    if (!new_) file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) fail();
  }
  ~PictureFile() {
    if (new_) ::unlink(path_.c_str());
    ::close(file_);
  }
  PictureFile(const PictureFile&) = delete;
  PictureFile& operator=(const PictureFile&) = delete;

  void put(const std::string& picture) {
    if (::ftruncate(file_, 0) != 0 && errno != EINVAL) fail();  // EINVAL: a device, a pipe
    for (std::size_t done = 0; done < picture.size();) {
      const ssize_t n = ::write(file_, picture.data() + done, picture.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail();
      done += static_cast<std::size_t>(n);
    }
    new_ = false;
  }

 private:
  [[noreturn]] void fail() const {
    throw FileError(path_, std::string("cannot be written: ") + std::strerror(errno));
  }
  const std::string& path_;
  int file_;
  bool new_;
};

/// The length of the UTF-8 character that the text begins with; 0: it begins with none that a
/// picture can hold (the Unicode standard, table 3-7; XML 1.0, Char).
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first >= 0x20 && first < 0x7f) return 1;
  if (first == 0xc2) return follows(1, 0xa0) ? 2 : 0;  // before: control characters
  if (first > 0xc2 && first < 0xe0) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    const bool fits = follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    const bool none = first == 0xef && byte(1) == 0xbf && byte(2) > 0xbd;  // U+FFFE, U+FFFF
    return fits && follows(2) && !none ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5)
    return follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) &&
                   follows(3)
               ? 4
               : 0;
  return 0;
}

}  // namespace

std::string picture_style() {
  return "set border 3 lw 1 lc rgb '#666666'\n"
         "set tics nomirror out scale 0.6 tc rgb '#333333'\n"
         "set grid lw 0.6 lc rgb '#e4e4e4' lt 1\n"
         "unset key\n";
}

std::string picture_terminal(const std::string& path, int width, int height) {
  char text[200];
  if (path.ends_with(".svg"))
    std::snprintf(text, sizeof text,
                  "set terminal svg size %d,%d dynamic font 'Helvetica,Arial,sans-serif,12' "
                  "background rgb 'white'\n",
                  width, height);
  else if (path.ends_with(".png"))
    std::snprintf(text, sizeof text,
                  "set terminal pngcairo size %d,%d font 'sans,11' fontscale 1\n", width, height);
  else
    throw FileError(path, "pictures are written as .svg or .png");
  return std::string("set encoding utf8\n") + text;
}

void draw_picture(const std::string& path, const std::string& program, const std::string& script) {
  PictureFile file(path);  // said by the system itself, before anything is drawn
  file.put(output_of(program, script));
}

std::string gnuplot_text(std::string_view text) {
  constexpr std::size_t most = 160;  // characters, about the width of a picture
  std::string shown;
  std::size_t count = 0;
  for (; !text.empty() && count < most; ++count) {
    const std::size_t length = character(text);
    const bool control = static_cast<unsigned char>(text[0]) < 0x20;
    shown += length > 0 ? text.substr(0, length) : control ? " " : "\ufffd";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  if (!text.empty()) shown += "…";
  std::string digits = "\"";
  for (const char c : shown) {
    char octal[8];
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(c) & 0xffu);
    digits += octal;
  }
  return digits + '"';
}

}  // namespace rattleback::detail
