// What goes wrong with one operation, and the words for it in the rules of a device.

public import Bluetooth
import Documents

/// What a device, or the radio, does to an operation instead of what it should.
public enum OperationFault: Sendable, Hashable {
  /// Nothing goes wrong.
  case none
  /// The attribute operation is refused with this code.
  case refuse(ATTErrorCode)
  /// The link is lost before the operation has had any effect.
  case loseLinkBefore
  /// The operation takes effect, and the link is lost before its answer.
  case loseLinkAfter
  /// No answer comes.
  case neverAnswer
  /// The connection is refused.
  case refuseConnection
  /// The device is gone: link lost, no more advertisements, no connection.
  case vanish
  /// The operation takes this much longer.
  case slow(Duration)
  /// The operation takes effect as ever, and its answer comes this much later.
  case answerLate(Duration)
  /// A write has no effect, and is answered as if it had.
  case loseWrite

  /// Whether this can happen to an operation: only attribute operations and discovery can be
  /// refused with a code, only a connection can be refused as such.
  public func applies(to kind: FaultKind) -> Bool {
    row.map { $0.kinds.contains(kind) } ?? true
  }

  /// What becomes of an operation that this happens to.
  package var course: Course { row?.course ?? Course() }

  /// What is known of it; nil for ``none``.
  private var row: Row? {
    switch self {
    case .none: nil
    case .refuse(let code):
      Row(
        "refuse", "the operation is refused with that error",
        to: [.discover] + FaultKind.attributes, .code { .refuse($0) }, Course(refusal: code)
      )
    case .refuseConnection:
      Row(
        "refuse-connection", "the connection is refused", to: [.connect], .plain(self),
        Course(refusal: .unlikelyError)
      )
    case .loseLinkBefore:
      Row(
        "lose-link",
        "the connection is lost before the operation takes effect",
        .plain(self),
        Course(takesEffect: false, loss: .link)
      )
    case .loseLinkAfter:
      Row(
        "lose-link-after",
        "it takes effect, then the connection is lost before the response",
        .plain(self),
        Course(loss: .link)
      )
    case .neverAnswer: Row("never-answer", "no response arrives", .plain(self), Course(delay: nil))
    case .slow(let delay):
      Row(
        "slow",
        "it takes that much longer, at most 1h",
        .time(example: "3s") { .slow($0) },
        Course(delay: delay)
      )
    case .answerLate(let delay):
      Row(
        "answer-late", "it takes effect as usual, and its response arrives that much later",
        to: FaultKind.attributes, .time(example: "1s") { .answerLate($0) },
        Course(responseDelay: delay)
      )
    case .loseWrite:
      Row(
        "lose-write", "it has no effect, and the response reports success",
        to: [.write, .command, .any], .plain(self), Course(takesEffect: false)
      )
    case .vanish:
      Row(
        "vanish",
        "the device disappears: no connection, no advertisements",
        .plain(self),
        Course(takesEffect: false, loss: .device)
      )
    }
  }
}

extension OperationFault {
  /// What becomes of an operation: all that whoever carries it out has to know of a fault.
  package struct Course: Sendable {
    /// What is lost in place of a response.
    package enum Loss: Sendable {
      case link
      /// The device, and its link.
      case device
    }

    /// How much later than usual it is over; nil: never.
    package var delay: Duration? = .zero
    package var takesEffect = true
    /// The error of the response; nil: success.
    package var refusal: ATTErrorCode?
    /// How much later than its effect the response comes; nil: with it.
    package var responseDelay: Duration?
    package var loss: Loss?
  }

  /// How one of them is written in a rule of a device, what it may happen to, and what it does.
  struct Row: Sendable {
    /// What makes the fault of the word and what follows it.
    enum Making: Sendable {
      case plain(OperationFault)
      /// `refuse 0x80`
      case code(@Sendable (ATTErrorCode) -> OperationFault)
      /// `slow 3s`
      case time(example: String, @Sendable (Duration) -> OperationFault)
    }

    let word: String
    let doc: String
    let kinds: [FaultKind]
    let making: Making
    let course: Course

    fileprivate init(
      _ word: String, _ doc: String, to kinds: [FaultKind] = FaultKind.answered, _ making: Making,
      _ course: Course
    ) {
      (self.word, self.doc, self.kinds) = (word, doc, kinds)
      (self.making, self.course) = (making, course)
    }

    /// The word with an example of what follows it.
    var example: String {
      switch making {
      case .plain: word
      case .code: word + " 0x80"
      case .time(let example, _): "\(word) \(example)"
      }
    }

    /// In the order of the documentation.
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
