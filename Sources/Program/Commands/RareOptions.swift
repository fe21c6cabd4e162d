// Options that few people need: they are in the manual pages, and not in the help.

import ArgumentParser

enum RareOptions {
  /// Whether the manual pages are made of the answer.
  private static var isForManual: Bool {
    CommandLine.arguments.contains("--experimental-dump-help")
  }

  static var visibility: ArgumentVisibility { isForManual ? .default : .hidden }

  /// Where to find them, as the last paragraph of a discussion.
  static func hint(_ command: String) -> String {
    isForManual ? "" : "\n\nRarer options are in blerun-\(command)(1), and in --help-hidden."
  }
}
