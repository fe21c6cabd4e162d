// The examples of a page of the documentation.

import Foundation

/// A page whose code blocks are run.
struct Example {
  private let text: String

  /// - Parameter page: Below the folder of the package.
  init(in page: String) throws {
    text = try String(contentsOfFile: packageFolder + "/" + page, encoding: .utf8)
  }

  /// The code blocks of a language, in order.
  func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }
}
