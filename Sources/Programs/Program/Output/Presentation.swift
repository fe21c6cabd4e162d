// The amount of text beside the data, and its colours.
//
// Pure: the options and the environment are passed in.

import ArgumentParser
import Jobs

/// The options for text beside the data.
struct Presentation: Sendable {
  /// The condition for coloured text.
  enum Color: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// On a terminal with colours, unless `NO_COLOR` is set.
    case auto
    case always, never
  }

  var isQuiet = false
  /// Whether the D-Bus messages to and from BlueZ are printed.
  var isVerbose = false
  var color = Color.auto

  /// Whether text is coloured.
  ///
  /// - Source: no-color.org: `NO_COLOR` counts if it is set and not empty.
  func isColored(onTerminal isTerminal: Bool, _ environment: (String) -> String?) -> Bool {
    switch color {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && Self.isAble(environment) && (environment("NO_COLOR") ?? "").isEmpty
    }
  }

  /// Whether a terminal can colour text, and redraw a line.
  static func isAble(_ environment: (String) -> String?) -> Bool {
    let terminal = environment("TERM") ?? ""
    return !terminal.isEmpty && terminal != "dumb"
  }
}

/// The meaning of a line, for its colour. The words of the line say it, too.
enum Tone: Sendable {
  case good, doubtful, bad

  /// The parameters of Select Graphic Rendition. The tones differ in brightness, and bad is bold.
  ///
  /// - Source: ECMA-48, 8.3.117.
  var rendition: String {
    switch self {
    case .good: "32"
    case .doubtful: "33"
    case .bad: "1;31"
    }
  }

  /// The tone of the first line about an event; nil for an ordinary event.
  init?(_ event: RunEvent) {
    switch event.change {
    case .step(.finished(let result)):
      switch result.status {
      case .ok, .skipped: return nil
      case .warning, .cancelled: self = .doubtful
      case .failed: self = .bad
      }
    case .run(.finished(let ending)): self.init(ending.status)
    case .run(.groupFinished(let ending)): self.init(ending.status)
    case .data(_, .gap): self = .doubtful
    case .run(.started), .run(.groupStarted), .step(.started), .data(_, .value),
      .data(_, .advertisement), .remark:
      return nil
    }
  }

  private init(_ status: RunEnding.Status) {
    switch status {
    case .ok: self = .good
    case .warning, .cancelled: self = .doubtful
    case .failed: self = .bad
    }
  }
}
