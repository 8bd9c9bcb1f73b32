#include <algorithm>
#include <numbers>

#include "../problem/suggest.hpp"
#include "operators.hpp"
#include "syntax.hpp"
#include "tokens.hpp"

namespace rattleback::text {

namespace {

class Parser {
 public:
  Parser(const Passage& passage, const Scope& scope, const Allowed& allowed)
      : code_{.passage = passage, .indices = allowed.indices},
        tokens_(code_.passage),
        scope_(scope),
        allowed_(allowed),
        active_(allowed.indices) {
    slots_.resize(active_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i] = static_cast<int>(i);
  }

  Code whole() {
    if (tokens_.now().kind == Token::end) tokens_.fail("an expression is missing");
    if (allowed_.may_be_family)
      constraint();
    else
      expression();
    if (tokens_.now().kind != Token::end) unexpected("the end");
    return std::move(code_);
  }

  CoordinateEntry coordinate() {
    if (tokens_.now().kind != Token::name)
      tokens_.fail("a coordinate is written \"x\" or \"x[1..N]\"");
    CoordinateEntry entry{.name = std::string(tokens_.words(tokens_.now()))};
    tokens_.advance();
    if (tokens_.now().kind == Token::end) return entry;
    expect('[', "'[' or the end");
    expression();
    entry.lower = take_code();
    expect(Token::range, "'..'");
    expression();
    entry.upper = take_code();
    expect(']', "']'");
    if (tokens_.now().kind != Token::end) unexpected("the end");
    return entry;
  }

 private:
  static constexpr int deepest = 1000;

  Code take_code() {
    Code part{.passage = code_.passage};
    std::swap(part.steps, code_.steps);
    return part;
  }

  void emit(Step step) { code_.steps.push_back(step); }
  bool is(char kind) const { return tokens_.now().kind == kind; }

  [[noreturn]] void unexpected(const std::string& wanted) {
    const Token& token = tokens_.now();
    if (token.kind == Token::end)
      tokens_.fail("the expression ends where " + wanted + " is missing");
    tokens_.fail("expected " + wanted + ", found " + in_quotes(tokens_.words(token)));
  }

  void expect(char kind, const std::string& wanted) {
    if (!is(kind)) unexpected(wanted);
    tokens_.advance();
  }

  /// Everything that binds at least this tightly.
  void expression(int at_least = 1) {
    if (++depth_ > deepest) tokens_.fail("nested more than 1000 levels deep");
    const Token first = tokens_.now();
    if (first.kind == '-' || first.kind == '+') {
      tokens_.advance();
      expression(3);  // -x^2 is -(x^2)
      if (first.kind == '-')
        emit(
            {.kind = Step::Kind::operation, .operation = Operation::negate, .offset = first.begin});
    } else {
      operand();
    }
    while (binding(tokens_.now().kind) >= at_least) {
      const Token sign = tokens_.now();
      tokens_.advance();
      expression(sign.kind == '^' ? 3 : binding(sign.kind) + 1);  // 2^3^2 is 2^(3^2)
      emit({.kind = Step::Kind::operation,
            .operation = operation_of(sign.kind),
            .offset = sign.begin});
    }
    if (is(Token::number) || is(Token::name) || is('('))
      tokens_.fail("an operator is missing before " + in_quotes(tokens_.words(tokens_.now())) +
                   "; write '*' to multiply");
    --depth_;
  }

  void operand() {
    const Token token = tokens_.now();
    if (token.kind == Token::name) return name();
    if (token.kind != Token::number && token.kind != '(') unexpected("a value");
    tokens_.advance();
    if (token.kind == Token::number)
      return emit({.kind = Step::Kind::number, .offset = token.begin, .number = token.value});
    expression();
    expect(')', "')'");
  }

  void name() {
    const Token token = tokens_.now();
    const std::string name(tokens_.words(token));
    if (name == "each")
      tokens_.fail("each(...) makes a family of constraints; it cannot be part of an expression");
    if (name == "sum") return loop(Step::Kind::sum);
    if (const auto function = find_function(name)) return call(*function);
    const auto index = std::find(active_.begin(), active_.end(), name);
    const Symbol* symbol = scope_.find(name);
    if (index != active_.end() && symbol)
      tokens_.fail(in_quotes(name) + " is both an index here and " + kind_name(symbol->kind) +
                   "; rename one");
    if (index == active_.end() && !symbol && name != "pi" && name != "π") unknown(name);
    if (symbol) require(*symbol, name);
    tokens_.advance();
    if (is('('))
      text::fail(code_.passage, token.begin,
                 in_quotes(name) + " is not a function; write '" + name + "*(' to multiply");
    if (symbol && symbol->is_family) return element(*symbol, token);
    if (is('[')) tokens_.fail(in_quotes(name) + " is a single value and takes no index");
    if (symbol)
      emit({.kind = Step::Kind::symbol, .offset = token.begin, .symbol = symbol});
    else if (index != active_.end())
      emit({.kind = Step::Kind::index,
            .slot = slots_[index - active_.begin()],
            .offset = token.begin});
    else
      emit({.kind = Step::Kind::number, .offset = token.begin, .number = std::numbers::pi});
  }

  [[noreturn]] void unknown(const std::string& name) {
    std::vector<std::string> candidates = scope_.names();
    candidates.insert(candidates.end(), active_.begin(), active_.end());
    for (const Operation f : known_functions) candidates.emplace_back(spelling(f));
    for (const char* word : {"pi", "sum"}) candidates.emplace_back(word);
    tokens_.fail("unknown name " + in_quotes(name) + detail::suggestion(name, candidates));
  }

  void require(const Symbol& symbol, const std::string& name) {
    if (allowed_.kinds & symbol.kind) return;
    std::string may;
    for (const Symbol::Kind kind : {Symbol::coordinate, Symbol::momentum, Symbol::velocity})
      if (allowed_.kinds & kind)
        may += std::string(may.empty() ? "" : ", ") + (kind == Symbol::coordinate ? "coordinates"
                                                       : kind == Symbol::momentum ? "momenta"
                                                                                  : "velocities");
    tokens_.fail(in_quotes(name) + " is " + kind_name(symbol.kind) + "; " + allowed_.what +
                 " may contain " + (may.empty() ? "" : may + " and ") + "parameters only");
  }

  void element(const Symbol& symbol, const Token& token) {
    if (!is('['))
      text::fail(code_.passage, token.begin,
                 in_quotes(tokens_.words(token)) + " is a family and needs an index, as in '" +
                     std::string(tokens_.words(token)) + "[1]'");
    tokens_.advance();
    expression();
    expect(']', "']'");
    emit({.kind = Step::Kind::element, .offset = token.begin, .symbol = &symbol});
  }

  void call(Operation function) {
    const Token token = tokens_.now();
    const std::string name(spelling(function));
    tokens_.advance();
    if (!is('('))
      text::fail(code_.passage, token.begin,
                 in_quotes(name) + " is a function; write " + name + "(...)");
    tokens_.advance();
    int count = 0;
    if (!is(')')) {
      expression();
      for (count = 1; is(','); ++count) {
        tokens_.advance();
        expression();
      }
    }
    expect(')', "',' or ')'");
    const int needed = operand_count(function);
    if (count != needed)
      text::fail(code_.passage, token.begin,
                 in_quotes(name) + " takes " + std::to_string(needed) +
                     (needed == 1 ? " argument" : " arguments (y, x)") + ", not " +
                     std::to_string(count));
    emit({.kind = Step::Kind::operation, .operation = function, .offset = token.begin});
  }

  /// sum(i, first, last, body) and each(i, first, last, body).
  void loop(Step::Kind kind) {
    if (++depth_ > deepest) tokens_.fail("nested more than 1000 levels deep");
    const Token word = tokens_.now();
    const std::string name(tokens_.words(word)), shape = name + "(i, first, last, ...)";
    tokens_.advance();
    if (!is('(')) text::fail(code_.passage, word.begin, "write " + shape);
    tokens_.advance();
    const std::string index = declare_index(shape);
    expect(',', "',' of " + shape);
    expression();
    expect(',', "',' of " + shape);
    expression();
    expect(',', "',' of " + shape);
    const std::size_t at = code_.steps.size();
    const int slot = static_cast<int>(code_.indices.size());
    emit({.kind = kind, .slot = slot, .offset = word.begin});
    code_.indices.push_back(index);
    active_.push_back(index);
    slots_.push_back(slot);
    if (kind == Step::Kind::each)
      constraint();
    else
      expression();
    code_.steps[at].end = code_.steps.size();
    active_.pop_back();
    slots_.pop_back();
    expect(')', is(',') ? "')': " + shape + " takes 4 arguments" : "')'");
    --depth_;
  }

  std::string declare_index(const std::string& shape) {
    if (!is(Token::name)) unexpected("the name of the index in " + shape);
    std::string index(tokens_.words(tokens_.now()));
    if (is_reserved(index))
      tokens_.fail(in_quotes(index) + " is reserved and cannot name an index");
    if (const Symbol* symbol = scope_.find(index))
      tokens_.fail(in_quotes(index) + " is already " + kind_name(symbol->kind) +
                   "; take another name for the index");
    if (std::find(active_.begin(), active_.end(), index) != active_.end())
      tokens_.fail(in_quotes(index) + " is already the index of an outer sum or each");
    tokens_.advance();
    return index;
  }

  void constraint() {
    if (is(Token::name) && tokens_.words(tokens_.now()) == "each") return loop(Step::Kind::each);
    code_.body = tokens_.now().begin;
    expression();
    code_.body_end = tokens_.now().begin;
  }

  Code code_;
  Tokens tokens_;
  const Scope& scope_;
  const Allowed& allowed_;
  std::vector<std::string> active_;  // indices that may be used here, the innermost last
  std::vector<int> slots_;           // of each of them
  int depth_ = 0;
};

}  // namespace

Code parse_expression(const Passage& passage, const Scope& scope, const Allowed& allowed) {
  return Parser(passage, scope, allowed).whole();
}

CoordinateEntry parse_coordinate(const Passage& passage, const Scope& scope) {
  const Allowed allowed{.what = "the range of a family"};
  return Parser(passage, scope, allowed).coordinate();
}

}  // namespace rattleback::text
