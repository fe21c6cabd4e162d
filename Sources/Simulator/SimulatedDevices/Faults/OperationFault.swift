// Faults of a single operation, with their names in device files.

public import Bluetooth
import Documents

/// The effect of a fault on an operation.
public enum OperationFault: Sendable, Hashable {
  /// No fault.
  case none
  /// The attribute operation is refused with this code.
  case refuse(ATTErrorCode)
  /// The link is lost before the operation takes effect.
  case loseLinkBefore
  /// The link is lost after the operation took effect, before the response.
  case loseLinkAfter
  /// The operation gets no response.
  case neverAnswer
  /// The connection is refused.
  case refuseConnection
  /// The device leaves: its link is lost, and it neither advertises nor connects.
  case vanish
  /// The operation takes this much longer.
  case slow(Duration)
  /// The operation takes effect in time, but its response arrives this much later.
  case answerLate(Duration)
  /// A write is confirmed without taking effect.
  case loseWrite

  /// True if the fault can affect this kind of operation: only attribute operations and discovery
  /// can be refused with a code, only connections can be refused as such.
  public func applies(to kind: FaultKind) -> Bool {
    row.map { $0.kinds.contains(kind) } ?? true
  }

  /// The outcome of an affected operation.
  package var outcome: Outcome { row?.outcome ?? Outcome() }

  /// The description of the fault; nil for ``none``.
  private var row: Row? {
    switch self {
    case .none: nil
    case .refuse(let code):
      Row(
        "refuse", "the operation is refused with that error",
        to: [.discover] + FaultKind.attributes, .code { .refuse($0) }, Outcome(refusal: code)
      )
    case .refuseConnection:
      Row(
        "refuse-connection", "the connection is refused", to: [.connect], .plain(self),
        Outcome(refusal: .unlikelyError)
      )
    case .loseLinkBefore:
      Row(
        "lose-link",
        "the connection is lost before the operation takes effect",
        .plain(self),
        Outcome(takesEffect: false, loss: .link)
      )
    case .loseLinkAfter:
      Row(
        "lose-link-after",
        "it takes effect, then the connection is lost before the response",
        .plain(self),
        Outcome(loss: .link)
      )
    case .neverAnswer: Row("never-answer", "no response arrives", .plain(self), Outcome(delay: nil))
    case .slow(let delay):
      Row(
        "slow",
        "it takes that much longer, at most 1h",
        .time(example: "3s") { .slow($0) },
        Outcome(delay: delay)
      )
    case .answerLate(let delay):
      Row(
        "answer-late", "it takes effect as usual, and its response arrives that much later",
        to: FaultKind.attributes, .time(example: "1s") { .answerLate($0) },
        Outcome(responseDelay: delay)
      )
    case .loseWrite:
      Row(
        "lose-write", "it has no effect, and the response reports success",
        to: [.write, .command, .any], .plain(self), Outcome(takesEffect: false)
      )
    case .vanish:
      Row(
        "vanish",
        "the device disappears: no connection, no advertisements",
        .plain(self),
        Outcome(takesEffect: false, loss: .device)
      )
    }
  }
}

extension OperationFault {
  /// The outcome of an operation: everything that its executor needs to know of a fault.
  package struct Outcome: Sendable {
    /// A loss in place of a response.
    package enum Loss: Sendable {
      case link
      /// The link, and the device itself.
      case device
    }

    /// The additional time until the operation ends; nil: it never ends.
    package var delay: Duration? = .zero
    package var takesEffect = true
    /// The error in the response; nil: success.
    package var refusal: ATTErrorCode?
    /// The time from the effect to the response; nil: no additional time.
    package var responseDelay: Duration?
    package var loss: Loss?
  }

  /// A row of the table: the name of a fault in device files, its operations, and its outcome.
  struct Row: Sendable {
    /// Creates the fault from the name and its argument.
    enum Making: Sendable {
      case plain(OperationFault)
      /// With an error code: `refuse 0x80`.
      case code(@Sendable (ATTErrorCode) -> OperationFault)
      /// With a duration: `slow 3s`.
      case time(example: String, @Sendable (Duration) -> OperationFault)
    }

    let word: String
    let doc: String
    let kinds: [FaultKind]
    let making: Making
    let outcome: Outcome

    fileprivate init(
      _ word: String, _ doc: String, to kinds: [FaultKind] = FaultKind.answered, _ making: Making,
      _ outcome: Outcome
    ) {
      (self.word, self.doc, self.kinds) = (word, doc, kinds)
      (self.making, self.outcome) = (making, outcome)
    }

    /// The name with an example argument.
    var example: String {
      switch making {
      case .plain: word
      case .code: word + " 0x80"
      case .time(let example, _): "\(word) \(example)"
      }
    }

    /// All rows, in the order of the documentation.
    static let all = [
      OperationFault.refuse(.unlikelyError), .refuseConnection, .loseLinkBefore, .loseLinkAfter,
      .neverAnswer, .slow(.zero), .answerLate(.zero), .loseWrite, .vanish,
    ].compactMap(\.row)

    // MARK: Schema and table

    static let schema: Schema = {
      let words = all.map { row in
        switch row.making {
        case .plain: row.word
        case .code, .time: row.word + " .+"
        }
      }
      return Schema([
        "type": "string", "pattern": .string("^(" + words.joined(separator: "|") + ")$"),
      ])
    }()

    static let table: String = {
      let rows = all.map { row in
        let kinds = row.kinds.filter { $0 != .any }.map { "`\($0.rawValue)`" }
        let to =
          row.kinds == FaultKind.answered ? "all but `command`" : kinds.joined(separator: ", ")
        return "| `\(row.example)` | \(row.doc) | \(to) |"
      }
      let head = ["| `do` | what happens | operations |", "|---|---|---|"]
      return (head + rows).joined(separator: "\n") + "\n"
    }()
  }
}
