// Events of chains from their JSON lines, for reports of runs that ended before.
//
// It reads what JSONLinesReport writes. What a line does not have is missing.

import Bluetooth
package import Documents
import Signals

/// Reads the lines of one run after the other.
package struct RunEventReader {
  /// That of the last run that began.
  private var seed: UInt64 = 0
  /// When the running steps began, by their positions.
  private var begun: [StepPosition: Duration] = [:]
  /// The steps that failed, by their messages.
  private var failed: [String: ReportedStep] = [:]

  package init() {}

  /// The event of a line; nil for a line that is none of a chain.
  ///
  /// - Throws: ``JSONSyntaxError``.
  package mutating func event(in line: String) throws(JSONSyntaxError) -> RunEvent? {
    let json = try JSONValue(parsing: line)
    guard let name = json["event"]?.string, let run = json["run"]?.string,
      let device = json["device"]?.string, let time = json["time"]?.string.flatMap(Timestamp.time),
      let offset = json["offset"]?.duration
    else { return nil }
    if name == "run-started", case .number(let digits)? = json["seed"] {
      seed = UInt64(digits) ?? 0
    }
    guard let change = change(name, json, offset) else { return nil }
    switch change {
    case .runStarted: (begun, failed) = ([:], [:])
    case .stepStarted(let step): begun[step.position] = offset
    case .stepFinished(let result):
      if let failure = result.failure { failed[failure.message] = result.step }
    case .value, .advertisement, .pairingDisplay, .gap, .note, .runFinished: break
    }
    return RunEvent(
      run: RunIdentity(recorded: run, seed: seed),
      device: device,
      deviceName: json["deviceName"]?.string,
      attempt: json["attempt"]?.integer ?? 1,
      offset: offset,
      wallClock: time,
      change: change
    )
  }

  private func change(
    _ name: String,
    _ json: JSONValue,
    _ offset: Duration
  ) -> RunEvent.Change? {
    switch name {
    case "run-started":
      let start = RunStart(
        chain: json["chain"]?.string,
        steps: json["steps"]?.integer ?? 0,
        seed: seed,
        file: json["file"]?.string
      )
      return .runStarted(start)
    case "step-started": return ReportedStep(json).map { .stepStarted($0) }
    case "value":
      return ReportedStep(json).map { .value($0, StepValue(json)) }
    case "gap":
      guard let step = ReportedStep(json), let gap = NotificationGap(json) else { return nil }
      return .gap(step, gap)
    case "note": return json["text"]?.string.map { .note($0) }
    case "step-finished":
      guard let step = ReportedStep(json),
        let status = json["status"]?.string.flatMap(StepResult.Status.init)
      else { return nil }
      let result = StepResult(
        step,
        status: status,
        outcome: StepOutcome(json),
        failure: json["error"].flatMap { RunFailure($0) },
        notes: (json["notes"]?.elements ?? []).compactMap(\.string),
        tries: (json["tries"]?.elements ?? []).compactMap { StepTry($0) },
        took: offset - (begun[step.position] ?? offset)
      )
      return .stepFinished(result)
    case "run-finished":
      guard let status = json["status"]?.string.flatMap(RunEnding.Status.init) else { return nil }
      let failure = json["error"].flatMap { RunFailure($0) }
      let step = failure.flatMap { failed[$0.message] }
      return .runFinished(RunEnding(status: status, failure: failure, step: step, done: 0))
    // open: names of events, to which later versions add
    default: return nil
    }
  }
}

extension JSONValue {
  /// A number of seconds.
  fileprivate var duration: Duration? { double.map { .microseconds(($0 * 1e6).rounded()) } }

  /// Hexadecimal digits as octets.
  fileprivate var octets: [UInt8]? { string.flatMap { [UInt8](hexadecimal: $0) } }
}

extension DecodedValue {
  /// A value of a line; nil for null.
  fileprivate init?(_ json: JSONValue) {
    switch json {
    case .null: return nil
    case .boolean(let truth): self = .boolean(truth)
    case .number(let text):
      if let number = Int128(text) {
        self = .integer(number)
      } else {
        let decimals = text.split(separator: ".").dropFirst().first?.utf8.count ?? 0
        self = .real(Double(text) ?? .nan, decimals: min(decimals, 6))
      }
    case .string(let text): self = .text(text)
    case .array(let values): self = .list(values.compactMap { DecodedValue($0) })
    case .object(let members):
      self = .fields(
        members.compactMap { key, value in
          DecodedValue(value).map { Field(key, $0) }
        }
      )
    }
  }
}

extension StepValue {
  /// A value: decoded again where that makes what was recorded, which gives its numbers their units.
  fileprivate init(_ json: JSONValue) {
    let octets = json["hex"]?.octets
    let recorded = json["value"].flatMap { DecodedValue($0) }
    let selector = json["attribute"]?.string.flatMap { try? CharacteristicSelector(parsing: $0) }
    let decoded = selector.flatMap { selector in
      octets.flatMap { try? StepValue.decode($0, of: selector, format: nil) }
    }
    let isSame = decoded.map { JSONValue($0) } == recorded.map { JSONValue($0) }
    self.init(
      octets: octets ?? [],
      decoded: isSame ? decoded : recorded,
      problem: json["problem"]?.string
    )
  }
}

extension NotificationGap {
  fileprivate init?(_ json: JSONValue) {
    guard let lasted = json["lasted"]?.duration else { return nil }
    let dropped = json["dropped"]?.integer ?? 0
    let cause: Cause
    switch json["cause"]?.string {
    case "link-lost": cause = .linkLost
    case "overflow": cause = .overflow(dropped: dropped)
    case "output": cause = .output(dropped: dropped)
    // open: texts of a line
    default: return nil
    }
    self.init(cause, from: .start, to: .start + lasted)
  }
}

extension ReportedStep {
  /// The step of a line, as far as the line has it.
  fileprivate init?(_ json: JSONValue) {
    guard let text = json["step"]?.string, let position = StepPosition(text),
      let operation = json["operation"]?.string
    else { return nil }
    self.init(
      recorded: position,
      operation: operation,
      attribute: json["attribute"]?.string,
      written: json["written"]?.string,
      hasOctets: json["hex"] != nil,
      label: json["name"]?.string
    )
  }
}

extension StepTry {
  fileprivate init?(_ json: JSONValue) {
    guard let began = json["offset"]?.duration, let took = json["took"]?.duration else {
      return nil
    }
    self.init(began: began, took: took, why: json["why"]?.string)
  }
}

extension BlueZMessage {
  fileprivate init?(_ json: JSONValue, at time: Duration) {
    guard let kind = json["kind"]?.string.flatMap(Kind.init), let member = json["member"]?.string
    else { return nil }
    self.init(
      kind,
      at: time,
      number: json["number"]?.integer,
      object: json["object"]?.string,
      interface: json["interface"]?.string,
      member: member,
      error: json["error"]?.string,
      arguments: json["arguments"]?.string ?? "()"
    )
  }
}

extension TextReport {
  /// What came of a recorded step, in short, as ``text(_:)`` has it; nil where that is nothing.
  ///
  /// - Parameters:
  ///   - result: The result of the step, a JSON object with the keys of docs/json.md.
  ///   - operation: The operation of the step.
  ///   - attribute: The attribute that it is about; nil for none.
  package static func text(
    recorded result: String,
    of operation: String,
    _ attribute: String?
  ) -> String? {
    guard case .object(let members)? = try? JSONValue(parsing: result) else { return nil }
    let step: [(key: String, value: JSONValue)] =
      [("operation", .string(operation))]
      + (attribute.map { [("attribute", .string($0))] } ?? [])
    return StepOutcome(.object(step + members)).map { text($0) }
  }
}

extension DeviceCandidate {
  fileprivate init?(_ json: JSONValue) {
    guard let address = json["address"]?.string.flatMap({ BluetoothAddress($0) }) else {
      return nil
    }
    self.init(address: address, name: json["name"]?.string, rssi: json["rssi"]?.integer)
  }
}

extension StepOutcome {
  /// What came of the step of a line; nil where that is nothing. What has no short form is its text.
  fileprivate init?(_ json: JSONValue) {
    if let link = json["link"]?.string {
      let candidates = json["candidates"]?.elements.compactMap { DeviceCandidate($0) } ?? []
      self = LinkOrigin(rawValue: link).map { .linked($0, candidates: candidates) } ?? .left
      return
    }
    if let pairing = json["pairing"]?.string {
      let isAuthenticated = json["authenticated"] == .boolean(true)
      self = .paired(pairing == "paired" ? .paired(isAuthenticated: isAuthenticated) : .already)
      return
    }
    guard let value = json["value"] else {
      guard let octets = json["hex"]?.octets else { return nil }
      self = .written(octets)
      return
    }
    if let count = value["count"]?.integer, let rate = value["rate"] {
      let dropped = value["dropped"]?.integer ?? 0
      self = .listened(count: count, rate: rate.double ?? .infinity, dropped: dropped)
    } else if let count = value["count"]?.integer, let devices = value["devices"]?.elements {
      let names = devices.compactMap { $0["name"]?.string ?? $0["address"]?.string }
      let which = names.isEmpty ? "" : ": \(names.joined(separator: ", "))"
      self = .logged(counted(count, "device") + which)
    } else if json["operation"]?.string == "services" {
      self = .logged(counted(value.elements.count, "service"))
    } else if json["operation"]?.string == "log", let text = value.string {
      self = .logged(text)
    } else if json["operation"]?.string == "mtu", let octets = value.integer {
      self = .mtu(octets)
    } else {
      self = .value(StepValue(json))
    }
  }
}

extension RunFailure {
  /// A failure as its JSON object has it.
  fileprivate init?(_ json: JSONValue) {
    guard let code = json["code"]?.string, let message = json["message"]?.string,
      let `class` = json["class"]?.string.flatMap(FailureClass.init)
    else { return nil }
    let parts = message.firstSeparated(by: ": ")
    let bluez = json["bluez"].flatMap { answer in
      answer["name"]?.string.map { BlueZAnswer(name: $0, text: answer["text"]?.string ?? "") }
    }
    let expectation = json["expected"]?.string.map {
      ExpectationFailure(
        expected: $0,
        got: json["got"]?.string ?? "",
        octets: json["octets"]?.octets
      )
    }
    self.init(
      code: DeviceFailure.Code(rawValue: code),
      class: `class`,
      what: parts.second.isEmpty ? "running the chain" : parts.first,
      why: parts.second.isEmpty ? message : parts.second,
      bluez: bluez,
      att: json["att"]?.integer.flatMap { UInt8(exactly: $0) }.map(ATTErrorCode.init),
      hint: json["hint"]?.string ?? "",
      trace: json["trace"].flatMap { TraceSlice($0) },
      expectation: expectation
    )
    source = json["place"].flatMap { place in
      place["file"]?.string.map { file in
        Place(
          file: file,
          line: place["line"]?.integer ?? 0,
          column: place["column"]?.integer ?? 0
        )
      }
    }
    messages = (json["messages"]?.elements ?? []).compactMap { message in
      message["time"]?.string.flatMap(Timestamp.time).flatMap { BlueZMessage(message, at: $0) }
    }
  }
}

extension TraceSlice {
  fileprivate init?(_ json: JSONValue) {
    guard let file = json["file"]?.string, let first = json["first"]?.integer,
      let last = json["last"]?.integer, first <= last,
      let from = json["from"]?.string.flatMap(Timestamp.time),
      let to = json["to"]?.string.flatMap(Timestamp.time), from <= to
    else { return nil }
    self.init(
      file: file,
      packets: first...last,
      times: from...to,
      before: json["before"]?.integer ?? 0,
      last: (json["packets"]?.elements ?? []).compactMap { TracePacket($0) }
    )
  }
}

extension TracePacket {
  fileprivate init?(_ json: JSONValue) {
    guard let number = json["number"]?.integer, let text = json["text"]?.string,
      let time = json["time"]?.string.flatMap(Timestamp.time)
    else { return nil }
    self.init(number: number, time: time, text: text)
  }
}

extension String {
  /// The text before and after the first separator; all of it and nothing without one.
  fileprivate func firstSeparated(by separator: String) -> (first: String, second: String) {
    var rest = self[...]
    while !rest.isEmpty {
      if rest.hasPrefix(separator) {
        return (String(self[..<rest.startIndex]), String(rest.dropFirst(separator.count)))
      }
      rest = rest.dropFirst()
    }
    return (self, "")
  }
}
