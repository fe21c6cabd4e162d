// The figures of `benchmarks counts`, measured once for all tests.

import Glibc

/// The measurements of the built program `benchmarks`, by name.
struct Measurements: Sendable {
  /// One run.
  static let measured = Measurements()

  /// The output of the program, for a test that misses a figure.
  let lines: [String]

  private init() {
    var text: [UInt8] = []
    if let output = popen("'\(Self.program)' counts 2>&1", "r") {
      var octet = getc(output)
      while octet != EOF {
        text.append(UInt8(truncatingIfNeeded: octet))
        octet = getc(output)
      }
      pclose(output)
    }
    lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map { String($0) }
  }

  /// The program of the release build: `swift build -c release --product benchmarks`.
  private static var program: String {
    let package = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
    return "/\(package)/.build/release/benchmarks"
  }

  /// A figure; nil when it was not measured.
  subscript(name: String) -> Double? {
    for line in lines {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == name { return Double(words[1]) }
    }
    return nil
  }
}
