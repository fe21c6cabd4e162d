// The answer of a logic, and its parser.
//
// Pure. SimulatedDevice finds the characteristics that it names.

public import Bluetooth
public import Documents

/// The answer of a logic to one event. After an empty answer the device acts as without logic.
public struct LogicAnswer: Hashable, Sendable {
  /// The value that a read returns, or a write stores; nil: as without logic.
  public var value: [UInt8]?
  /// The error that refuses the read or write.
  public var error: ATTErrorCode?
  /// Further actions of the device, in order.
  public var actions: [LogicAction]
  /// In the answer to `start`, the events to be asked about; nil: all.
  public var handles: [String]?
  /// The parsed line.
  private(set) var line: String?

  /// Creates an answer; see the properties.
  public init(
    value: [UInt8]? = nil, error: ATTErrorCode? = nil, actions: [LogicAction] = [],
    handles: [String]? = nil
  ) {
    self.value = value
    self.error = error
    self.actions = actions
    self.handles = handles
  }
}

/// An action that a logic requests.
public enum LogicAction: Hashable, Sendable {
  /// Store a value of a characteristic, and send it to the subscriber.
  case notify(String, [UInt8])
  /// Store a value of a characteristic.
  case set(String, [UInt8])
  /// End the connection.
  case disconnect
  /// Send a Security Request.
  case requestSecurity
  /// Change the first advertisement: keys of `advertisement` in a device file.
  case advertise(Node)
  /// Report the timer of this name after a duration. It replaces an earlier timer of the same name.
  case wake(String, in: Duration)

  /// The key of an action.
  private enum Verb: String, CaseIterable {
    case notify, set, disconnect
    case requestSecurity = "request-security"
    case advertise, wake
  }

  /// Parses an element of `do`.
  fileprivate init?(_ node: Node, _ problems: inout [Problem]) {
    var reader = MappingReader(node)
    let verbs = Verb.allCases.filter { reader.has($0.rawValue) }
    guard verbs.count == 1, let verb = verbs.first else {
      let words = Verb.allCases.map(\.rawValue).joined(separator: ", ")
      problems.append(node.problem("an action has one of the keys \(words)"))
      return nil
    }
    let key = verb.rawValue
    func name(_ node: Node) -> String? { node.text.flatMap { $0.isEmpty ? nil : $0 } }
    var action: LogicAction?
    switch verb {
    case .notify, .set:
      let characteristic = reader.optional(key, expected: "the name of a characteristic", name)
      let value = reader.required("value", expected: LogicAnswer.hex, LogicAnswer.octets)
      if let characteristic, let value {
        action = verb == .set ? .set(characteristic, value) : .notify(characteristic, value)
      }
    case .disconnect, .requestSecurity:
      let truth = reader.optional(key, expected: "true") { $0.truth == true ? true : nil }
      action = truth.map { _ in verb == .disconnect ? .disconnect : .requestSecurity }
    case .advertise:
      let keys = "keys of an advertisement"
      action = reader.optional(key, expected: keys) { $0.mapping == nil ? nil : .advertise($0) }
    case .wake:
      let timer = reader.optional(key, expected: "the name of a timer", name)
      let (low, high) = (FileLimits.period.lowerBound, FileLimits.period.upperBound)
      let delay = reader.required(
        "in", expected: "a duration from \(low.written) to \(high.written)"
      ) { node in node.duration.flatMap { FileLimits.period.contains($0) ? $0 : nil } }
      if let timer, let delay { action = .wake(timer, in: delay) }
    }
    problems += reader.finish()
    guard let action else { return nil }
    self = action
  }
}

extension LogicAnswer {
  /// The maximum length of a line in either direction, in bytes.
  public static let longestLine = 64 << 10

  fileprivate static let hex = "hex digits such as \"01ff\""

  /// Parses hex digits; nil for another node, or above the maximum length of a value.
  fileprivate static func octets(_ node: Node) -> [UInt8]? {
    guard case .scalar(let text, isPlain: false) = node.content,
      let octets = try? ValueFormat("hex")?.encode(text)
    else { return nil }
    return octets.count <= FileLimits.octets ? octets : nil
  }

  /// Parses the answer line to an event.
  ///
  /// - Throws: The reason why it is invalid, for example that it answers another event.
  public init(parsing line: String, to event: LogicEvent) throws(LogicError.Reason) {
    guard line.utf8.count <= Self.longestLine else { throw .tooLong }
    let root: Node
    do throws(JSONSyntaxError) {
      root = Node(try JSONValue(parsing: line))
    } catch {
      throw .invalidAnswer("\(error)", received: line)
    }
    var reader = MappingReader(root)
    let id = reader.required("id", expected: "the id of the event") { $0.integer }
    self.init(
      value: reader.optional("value", expected: Self.hex, Self.octets),
      error: reader.optional("error", expected: "an ATT error code from 1 to 255") { node in
        node.integer.flatMap { (1...255).contains($0) ? ATTErrorCode(rawValue: UInt8($0)) : nil }
      }
    )
    handles = reader.optional("handles", expected: "a list of events") { node in
      node.sequence.flatMap { nodes in
        let texts = nodes.compactMap(\.text)
        return texts.count == nodes.count ? texts : nil
      }
    }
    let nodes = reader.optional("do", expected: "a list of actions") { $0.sequence } ?? []
    var problems: [Problem] = []
    actions = nodes.compactMap { LogicAction($0, &problems) }
    problems += reader.finish()
    self.line = line
    if let problem = problems.first {
      throw .invalidAnswer(problem.withoutPlace, received: line)
    }
    if let id, id != event.id {
      throw .invalidAnswer("the id is \(id): expected \(event.id)", received: line)
    }
    try check(for: event.kind)
  }

  /// - Throws: The reason why it does not fit this kind of event.
  func check(for kind: LogicEvent.Kind) throws(LogicError.Reason) {
    let problem: String? =
      if value != nil, error != nil {
        "'value' and 'error' exclude each other"
      } else if !kind.isRequest, value != nil || error != nil {
        "'value' and 'error' answer reads and writes, not '\(kind.word)'"
      } else if handles != nil, kind.word != "start" {
        "'handles' answers 'start', not '\(kind.word)'"
      } else {
        nil
      }
    if let problem { throw .invalidAnswer(problem, received: line) }
  }
}
