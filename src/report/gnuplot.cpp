#include "gnuplot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "rattleback/problem/error.hpp"

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
    std::string text(1 << 14, '\0');
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

}  // namespace

void run_gnuplot(const std::string& program, const std::string& script) {
  const MemoryFile input("gnuplot-script"), messages("gnuplot-messages");
  input.write(script);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.file(), STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, messages.file(), STDERR_FILENO);
  // Without the user's own start-up file.
  std::string name = program, option = "-d";
  char* arguments[] = {name.data(), option.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
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
}

std::string gnuplot_quoted(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + "'";
}

}  // namespace rattleback::detail
