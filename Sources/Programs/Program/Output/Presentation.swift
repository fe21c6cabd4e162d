// How much is printed beside the data, and in which colours.
//
// Pure: the options and the environment are passed in.

import ArgumentParser
import Jobs

/// What the user wants to see beside the data.
struct Presentation: Sendable {
  /// When text is coloured.
  enum Color: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// On a terminal that has colours, unless `NO_COLOR` is set.
    case auto
    case always, never
  }

  var isQuiet = false
  /// Whether it is printed what BlueZ is asked and answers.
  var isVerbose = false
  var color = Color.auto

  /// Whether text is coloured that goes to a terminal, or elsewhere.
  ///
  /// - Source: no-color.org: set, and not empty.
  func isColored(onTerminal isTerminal: Bool, _ environment: (String) -> String?) -> Bool {
    switch color {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && Self.isAble(environment) && (environment("NO_COLOR") ?? "").isEmpty
    }
  }

  /// Whether a terminal can colour text, and write a line anew.
  static func isAble(_ environment: (String) -> String?) -> Bool {
    let terminal = environment("TERM") ?? ""
    return !terminal.isEmpty && terminal != "dumb"
  }
}

/// What a line means. Its words have the same meaning: colour only helps to find it.
enum Tone: Sendable {
  case good, doubtful, bad

  /// The parameters of Select Graphic Rendition: differently bright, and bad is bold.
  ///
  /// - Source: ECMA-48, 8.3.117.
  var rendition: String {
    switch self {
    case .good: "32"
    case .doubtful: "33"
    case .bad: "1;31"
    }
  }

  /// The meaning of the first line about an event; nil for one that is as usual.
  init?(_ event: RunEvent) {
    switch event.change {
    case .stepFinished(let result):
      switch result.status {
      case .ok, .skipped: return nil
      case .warning, .cancelled: self = .doubtful
      case .failed: self = .bad
      }
    case .runFinished(let ending):
      switch ending.status {
      case .ok: self = .good
      case .warning, .cancelled: self = .doubtful
      case .failed: self = .bad
      }
    case .gap: self = .doubtful
    case .runStarted, .stepStarted, .value, .advertisement, .pairingDisplay, .note:
      return nil
    }
  }
}
