#include "rattleback/study/reproduce.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "exit_code.hpp"
#include "json.hpp"
#include "rattleback/report/file_error.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace rattleback::app {

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw FileError(path.string(), "cannot be written");
}

/// What was written.
std::vector<std::string> write_files(const Reproduction& r, const ReproduceRequest& request) {
  const std::filesystem::path folder = request.out.empty() ? "." : request.out;
  std::error_code ignored;  // what cannot be made cannot be written to
  std::filesystem::create_directories(folder, ignored);
  std::vector<std::string> files;
  const auto& panels = r.figure.panels;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const std::string number = panels.size() > 1 ? "-" + std::to_string(k + 1) : "";
    files.push_back((folder / (r.experiment.id + number + ".csv")).string());
    write(files.back(), csv_of(panels[k]));
  }
  if (request.picture == "none") return files;
  files.push_back((folder / (r.experiment.id + "." + request.picture)).string());
  draw_figure(r.figure, files.back());
  return files;
}

Json as_json(const Reproduction& r, const std::vector<std::string>& files) {
  std::vector<Json> claims;
  claims.reserve(r.claims.size());
  for (const Claim& claim : r.claims)
    claims.push_back(Json::object(
        {{"paper", claim.paper}, {"measured", claim.measured}, {"holds", claim.holds}}));
  return Json::object({{"id", r.experiment.id},
                       {"text", r.experiment.text},
                       {"source", r.experiment.cite},
                       {"claims", Json::array(claims)},
                       {"errata", Json::array(r.errata)},
                       {"files", Json::array(files)}});
}

void print(const Reproduction& r, const std::vector<std::string>& files) {
  std::printf("%s  %s  %s\n", r.experiment.id.c_str(), r.experiment.text.c_str(),
              r.experiment.cite.c_str());
  for (const Claim& claim : r.claims)
    std::printf("  paper     %s\n  measured  %s: %s\n", claim.paper.c_str(), claim.measured.c_str(),
                claim.holds ? "so it is" : "NOT so");
  for (const auto& erratum : r.errata) std::printf("  errata    %s\n", erratum.c_str());
  for (const auto& file : files) std::printf("  written   %s\n", file.c_str());
}

int list(bool json) {
  std::vector<Json> all;
  TextTable table({"experiment", "what", "source", ""});
  for (const Experiment& e : experiments()) {
    const std::string why = obstacle(e);
    table.add({e.id, e.text, e.cite, why});
    all.push_back(Json::object({{"id", e.id},
                                {"text", e.text},
                                {"source", e.cite},
                                {"available", why.empty()},
                                {"reason", why}}));
  }
  if (json)
    std::printf("%s\n", Json::object({{"experiments", Json::array(all)}}).text().c_str());
  else
    std::printf("%s\nrattleback reproduce ID runs one of them, `all` every one that can be run.\n",
                table.text().c_str());
  return done;
}

}  // namespace

int reproduce(const ReproduceRequest& request) {
  if (request.id.empty()) return list(request.json);
  std::vector<std::string> ids{request.id};
  if (request.id == "all") {
    ids.clear();
    for (const Experiment& e : experiments())
      if (obstacle(e).empty()) ids.push_back(e.id);
  }
  std::vector<Json> all;
  for (const auto& id : ids) {
    const Reproduction r = study::reproduce(id);
    const auto files = write_files(r, request);
    if (request.json)
      all.push_back(as_json(r, files));
    else
      print(r, files);
  }
  if (request.json)
    std::printf("%s\n", (request.id == "all" ? Json::object({{"experiments", Json::array(all)}})
                                             : all.front())
                            .text()
                            .c_str());
  return done;
}

}  // namespace rattleback::app
