// The syntax of Java's properties files, as users write broker.conf.
//
//   - Lines end with LF, CR LF or CR. Blanks, tabs and form feeds in front of a key, around the
//     separator and at the start of a continued line are skipped.
//   - A line whose first other character is # or ! is a comment, unless it continues an entry.
//   - An odd number of backslashes at the end of a line joins the next line to it.
//   - The key ends at the first =, : or blank that no backslash escapes; one = or : among the
//     blanks that follow belongs to the separator.
//   - \t \n \r \f and \uXXXX are escapes; before any other character a backslash is dropped. Two
//     escapes may be the halves of one character beyond U+FFFF; a half alone reads as "?".
//
// Worked example: `a\ b : c\` followed by `   d` is the key "a b" with the value "cd".
//
// Java reads the file as ISO 8859-1. So do we, unless the whole text is UTF-8: then its letters are
// kept, and the entry says that RocketMQ sees others. Blanks at the end of a value are kept, as in
// Java; who uses the value decides.
//
// Source: java.util.Properties.load, Java SE 17.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drydock {

struct PropertyLine {
  enum class Fault : std::uint8_t {
    none,
    malformed_escape,  // \u without four hexadecimal digits, taken literally; Java refuses the
                       // file.
    byte_order_mark,   // In front of the first key, and part of it, as for Java.
  };
  int line = 0;  // From 1: where the entry starts.
  std::string key;
  std::string value;
  Fault fault = Fault::none;
  bool utf8_letters = false;  // Java reads other letters, since it takes the file for ISO 8859-1.
};

// All entries in the order of the file. Every text is one: nothing is an error. Keys and values are
// UTF-8.
std::vector<PropertyLine> read_properties(std::string_view text);

}  // namespace drydock
