// Files that are no models.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <rattleback/text/model.hpp>

namespace rb = rattleback;
namespace fs = std::filesystem;

namespace {

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / ("rattleback_files_" + std::to_string(getpid()));
  }
  void TearDown() override { fs::remove_all(path_); }
  void write(const std::string& content) { std::ofstream(path_, std::ios::binary) << content; }

  /// The message, without the path it begins with.
  std::string message() const {
    try {
      rb::read_model(path_);
    } catch (const rb::TextError& error) {
      return std::string(error.what()).substr(path_.string().size());
    }
    return "no error";
  }

  fs::path path_;
};

}  // namespace

TEST_F(Files, ThatAreNotThere) { EXPECT_EQ(message(), ": there is no such file"); }

TEST_F(Files, ThatAreFolders) {
  fs::create_directory(path_);
  EXPECT_EQ(message(), ": this is a folder, not a model file");
}

TEST_F(Files, OfAGigabyteAreNotRead) {
  write("");
  fs::resize_file(path_, 1'000'000'000);  // a hole: takes no room
  EXPECT_EQ(message(), ": the file has more than 16 MB, which no model needs");
}

TEST_F(Files, ThatAreNotUtf8) {
  write("[model]\nname = \"M\xfcller\"\n");
  EXPECT_EQ(message(), ": line 2, byte 17 of the file: this is not UTF-8 text");
  for (const char* bad : {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    write(std::string("# ") + bad);
    EXPECT_EQ(message(), ": line 1, byte 2 of the file: this is not UTF-8 text");
  }
}

TEST_F(Files, WithNulBytes) {
  write(std::string("[model]\n\0", 9));
  EXPECT_EQ(message(), ": line 2, byte 8 of the file: a NUL byte is not text");
}

TEST_F(Files, WithKeysOfVeryManyParts) {
  std::string key = "a";
  for (int i = 0; i < 1'000'000; ++i) key += ".a";
  write(key + " = 1\n");
  EXPECT_NE(message().find(":1:202: a key of more than 100 parts"), std::string::npos);
  write("[" + key + "]\n");
  EXPECT_NE(message().find(":1:203: a key of more than 100 parts"), std::string::npos);
  write("[model]\nname = '" + std::string(1000, '.') + "' # " + std::string(1000, '.') + "\n");
  EXPECT_EQ(message().find("100 parts"), std::string::npos);
}

TEST_F(Files, WithListsInLists) {
  write("[model]\nmass = " + std::string(1'000'000, '['));
  EXPECT_NE(message().find(": not TOML: "), std::string::npos);
}
