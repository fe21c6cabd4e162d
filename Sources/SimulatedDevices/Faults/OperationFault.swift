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

  /// What is known of it; nil for ``none``.
  private var row: Row? {
    switch self {
    case .none: nil
    case .refuse: .refuse
    case .loseLinkBefore: .loseLink
    case .loseLinkAfter: .loseLinkAfter
    case .neverAnswer: .neverAnswer
    case .refuseConnection: .refuseConnection
    case .vanish: .vanish
    case .slow: .slow
    case .answerLate: .answerLate
    case .loseWrite: .loseWrite
    }
  }
}

extension OperationFault {
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

    /// The word with an example of what follows it.
    var example: String {
      switch making {
      case .plain: word
      case .code: word + " 0x80"
      case .time(let example, _): "\(word) \(example)"
      }
    }

    static let all: [Row] = [
      refuse, refuseConnection, loseLink, loseLinkAfter, neverAnswer, slow, answerLate, loseWrite,
      vanish,
    ]

    static let refuse = Row(
      word: "refuse",
      doc: "the operation is refused with that error",
      kinds: [.discover, .read, .write, .subscribe, .any],
      making: .code { .refuse($0) }
    )
    static let refuseConnection = Row(
      word: "refuse-connection",
      doc: "the connection is refused",
      kinds: [.connect],
      making: .plain(.refuseConnection)
    )
    static let loseLink = Row(
      word: "lose-link",
      doc: "the connection is lost before the operation takes effect",
      kinds: answered,
      making: .plain(.loseLinkBefore)
    )
    static let loseLinkAfter = Row(
      word: "lose-link-after",
      doc: "it takes effect, then the connection is lost before the response",
      kinds: answered,
      making: .plain(.loseLinkAfter)
    )
    static let neverAnswer = Row(
      word: "never-answer",
      doc: "no response arrives",
      kinds: answered,
      making: .plain(.neverAnswer)
    )
    static let slow = Row(
      word: "slow",
      doc: "it takes that much longer, at most 1h",
      kinds: answered,
      making: .time(example: "3s") { .slow($0) }
    )
    static let answerLate = Row(
      word: "answer-late",
      doc: "it takes effect as usual, and its response arrives that much later",
      kinds: [.read, .write, .subscribe, .any],
      making: .time(example: "1s") { .answerLate($0) }
    )
    static let loseWrite = Row(
      word: "lose-write",
      doc: "it has no effect, and the response reports success",
      kinds: [.write, .command, .any],
      making: .plain(.loseWrite)
    )
    static let vanish = Row(
      word: "vanish",
      doc: "the device disappears: no connection, no advertisements",
      kinds: answered,
      making: .plain(.vanish)
    )

    /// All but commands: what nobody answers can only be lost.
    private static let answered = FaultKind.allCases.filter { $0 != .command }

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
        let to = row.kinds == answered ? "all but `command`" : kinds.joined(separator: ", ")
        return "| `\(row.example)` | \(row.doc) | \(to) |"
      }
      let head = ["| `do` | what happens | operations |", "|---|---|---|"]
      return (head + rows).joined(separator: "\n") + "\n"
    }()
  }
}
