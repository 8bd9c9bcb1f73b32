#include "signals.hpp"

#include <csignal>
#include <initializer_list>

namespace rattleback::app {

namespace {

volatile std::sig_atomic_t caught = 0;

}  // namespace

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) { caught = signal; };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

int caught_signal() { return caught; }

}  // namespace rattleback::app
