#include "signals.hpp"

#include <unistd.h>

#include <csignal>
#include <initializer_list>
#include <string_view>

#include "exit_code.hpp"

namespace rattleback::app {

namespace {

volatile std::sig_atomic_t caught = 0;

void handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

/// Only what may be called from a handler.
[[noreturn]] void leave(int signal) {
  const std::string_view words = signal == SIGINT
                                     ? "rattleback: interrupted before the first step\n"
                                     : "rattleback: terminated before the first step\n";
  (void)!::write(STDERR_FILENO, words.data(), words.size());
  _exit(signalled + signal);
}

}  // namespace

void leave_on_signals() { handle(leave); }
void catch_signals() {
  handle([](int signal) { caught = signal; });
}

int caught_signal() { return caught; }

}  // namespace rattleback::app
