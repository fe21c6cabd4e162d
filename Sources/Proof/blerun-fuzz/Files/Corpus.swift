// The files of this package that inputs are derived from.

import Documents
import Glibc

/// The texts, and their vocabulary.
struct Corpus {
  struct File {
    let path: String
    let octets: [UInt8]
  }

  let files: [File]
  /// The distinct words of the files, in the order of their first occurrence.
  let words: [[UInt8]]

  /// Reads the files that match the patterns, in the order of their paths.
  ///
  /// - Parameter own: Additional texts, which come first.
  init(_ patterns: [String], and own: [(name: String, text: String)] = []) throws {
    var files = own.map { File(path: $0.name, octets: Array($0.text.utf8)) }
    for pattern in patterns {
      for path in Self.paths(pattern) {
        files.append(File(path: path, octets: Array(try TextFile.read(path).utf8)))
      }
    }
    guard !files.isEmpty else {
      throw FuzzError("there is no \(patterns.joined(separator: ", ")) here")
    }
    self.files = files
    var known: Set<[UInt8]> = []
    words = files.flatMap { file in
      Words.ranges(in: file.octets).map { Array(file.octets[$0]) }
    }.filter { known.insert($0).inserted }
  }

  private static func paths(_ pattern: String) -> [String] {
    var result = glob_t()
    defer { globfree(&result) }
    guard glob(pattern, 0, nil, &result) == 0 else { return [] }
    return (0..<Int(result.gl_pathc)).compactMap { index in
      result.gl_pathv[index].map { String(cString: $0) }
    }
  }
}

/// Finds the words of a text: runs of bytes between spaces and YAML punctuation.
enum Words {
  private static let signs = Set(" \n,:{}[]\"'#".utf8)

  static func ranges(in octets: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start: Int?
    for (index, octet) in octets.enumerated() {
      if signs.contains(octet) {
        if let begun = start { ranges.append(begun..<index) }
        start = nil
      } else if start == nil {
        start = index
      }
    }
    if let start { ranges.append(start..<octets.count) }
    return ranges
  }
}
