// The program: errors become exit codes here, and nowhere else.
#include <csignal>
#include <exception>
#include <new>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "memory_limit.hpp"
#include "run_output.hpp"

int main(int argc, char** argv) {
  using namespace rattleback;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is said like a full disk
  app::limit_memory();
  try {
    return app::command_line(argc, argv);
  } catch (const ModelError& error) {
    app::complain(error.what());
    return app::ill_posed;
  } catch (const Error& error) {
    app::complain(error.what());
    return app::bad_input;
  } catch (const app::OutOfMemory& error) {
    app::complain(error.what());
    return app::integration_failed;
  } catch (const std::bad_alloc&) {
    app::complain(app::out_of_memory());
    return app::integration_failed;
  } catch (const std::exception& error) {
    app::complain(std::string("internal error: ") + error.what());
    return app::integration_failed;
  }
}
