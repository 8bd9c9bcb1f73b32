// The program: errors become exit codes here, and nowhere else.
#include <exception>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "run_output.hpp"

int main(int argc, char** argv) {
  using namespace rattleback;
  try {
    return app::command_line(argc, argv);
  } catch (const ModelError& error) {
    app::complain(error.what());
    return app::ill_posed;
  } catch (const Error& error) {
    app::complain(error.what());
    return app::bad_input;
  } catch (const std::bad_alloc&) {
    app::complain("out of memory");
    return app::integration_failed;
  } catch (const std::exception& error) {
    app::complain(std::string("internal error: ") + error.what());
    return app::integration_failed;
  }
}
