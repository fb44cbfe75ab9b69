// The syntax of Java's properties files, as users write broker.conf.
//
//   - Lines end with LF, CR LF or CR. Blanks, tabs and form feeds in front of a key, around the
//     separator and at the start of a continued line are skipped.
//   - A line whose first other character is # or ! is a comment.
//   - An odd number of backslashes at the end of a line joins the next line to it.
//   - The key ends at the first =, : or blank that no backslash escapes; one = or : among the
//     blanks that follow belongs to the separator.
//   - \t \n \r \f and \uXXXX are escapes; before any other character a backslash is dropped.
//
// Worked example: `a\ b : c\` followed by `   d` is the key "a b" with the value "cd".
//
// Difference: Java reads the file as ISO 8859-1, we read UTF-8; a byte order mark at the start is
// skipped (Java makes it a part of the first key). Blanks at the end of a value are kept, as in
// Java; who uses the value decides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drydock {

struct PropertyLine {
  int line = 0;  // From 1: where the entry starts.
  std::string key;
  std::string value;
};

// All entries in the order of the file. Every text is one: nothing is an error.
std::vector<PropertyLine> read_properties(std::string_view text);

}  // namespace drydock
