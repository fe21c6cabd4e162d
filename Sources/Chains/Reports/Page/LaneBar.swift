// The bars of a lane: periods with a status over a time axis.
//
// PageMarkup+Lanes.swift draws them.

import RunEvents

/// A period in a lane, or several short ones that could not be told apart.
struct LaneBar: Equatable, Sendable {
  /// The kind of period, shown by colour and pattern.
  enum Kind: String, CaseIterable, Hashable, Sendable {
    // Later cases are drawn over earlier ones.
    case note, ok, skipped, cancelled, failed

    init(_ status: StepResult.Status) {
      switch status {
      case .ok, .warning: self = .ok
      case .skipped: self = .skipped
      case .cancelled: self = .cancelled
      case .failed: self = .failed
      }
    }

    /// The sign beside a short bar; nil for a kind that needs no attention.
    var sign: String? {
      switch self {
      case .note, .ok, .skipped: nil
      case .cancelled: "■"
      case .failed: "✕"
      }
    }
  }

  let kind: Kind
  let from: Duration
  private(set) var to: Duration
  /// The number of periods in the bar.
  private(set) var count = 1
  /// The title of the period, or of the first of several.
  let title: String
  /// The identifier of the row in a table; nil if there is none.
  let anchor: String?

  init(_ kind: Kind, from: Duration, to: Duration, title: String, anchor: String? = nil) {
    self.kind = kind
    self.from = from
    self.to = max(from, to)
    self.title = title
    self.anchor = anchor
  }

  /// Merges bars for drawing, and returns them in drawing order.
  ///
  /// Bars of one kind that are shorter than a column of the axis and less than a column apart
  /// become one, so there are at most two for each kind and column. A bar never hides one of
  /// another kind completely: failed ones are drawn last.
  ///
  /// - Parameter bars: Periods that do not overlap others of their kind.
  /// - Complexity: O(*n* log *n*).
  static func merged(_ bars: [LaneBar], on axis: TimeAxis) -> [LaneBar] {
    let column = axis.column
    return Kind.allCases.flatMap { kind in
      let own = bars.filter { $0.kind == kind }
      let ordered = own.enumerated().sorted {
        ($0.element.from, $0.offset) < ($1.element.from, $1.offset)
      }
      var drawn: [LaneBar] = []
      var isOpen = false
      for (_, bar) in ordered {
        let isShort = bar.to - bar.from < column
        if isShort, isOpen, let last = drawn.last, bar.from - last.to < column {
          drawn[drawn.count - 1].to = max(last.to, bar.to)
          drawn[drawn.count - 1].count += 1
        } else {
          drawn.append(bar)
        }
        isOpen = isShort
      }
      return drawn
    }
  }
}
