// The bars of a lane: periods with a status, side by side over a time axis.

/// A period of a lane; several short ones, where they could not be distinguished.
struct LaneBar: Equatable, Sendable {
  /// The kind of period, shown by colour and by form.
  enum Kind: String, CaseIterable, Hashable, Sendable {
    // Later ones are drawn over earlier ones.
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
  /// How many there are in it.
  private(set) var count = 1
  /// The title of the period; of several, that of the first one.
  let title: String
  /// The identifier of its row in a table; nil without one.
  let anchor: String?

  init(_ kind: Kind, from: Duration, to: Duration, title: String, anchor: String? = nil) {
    self.kind = kind
    self.from = from
    self.to = max(from, to)
    self.title = title
    self.anchor = anchor
  }

  /// The bars for drawing, in the order of drawing.
  ///
  /// Bars of one kind that are shorter than a column of the axis and less than a column apart are
  /// one, so that there are at most two for each kind and column however many there were. A bar
  /// never hides one of another kind: failed ones are drawn last.
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
