// The reader of the tables of assigned numbers.
//
// The tables are the texts beside this file, embedded in the program.

/// The lines of a table: a number, a space, and a name.
///
/// Empty lines, and those that begin with `#`, are ignored.
struct AssignedLines<Number: Sendable>: Sendable {
  /// The numbers and names, in the order of the lines.
  let entries: [(number: Number, name: String)]
  /// The malformed lines, which are ignored. A test expects none.
  let malformed: [String]

  /// Reads a table.
  ///
  /// - Parameter number: Parses a number; nil for other texts.
  init(_ octets: [UInt8], _ number: (String) -> Number?) {
    var entries: [(number: Number, name: String)] = []
    var malformed: [String] = []
    for line in String(decoding: octets, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("#") { continue }
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2, let number = number(String(parts[0])) {
        entries.append((number, String(parts[1])))
      } else {
        malformed.append(String(line))
      }
    }
    (self.entries, self.malformed) = (entries, malformed)
  }
}
