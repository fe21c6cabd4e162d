// The JSON of a step's result. docs/json.md documents the keys.
//
// Of devices and services, only what the text output shows is read back.

package import Bluetooth
package import Documents

extension StepResult {
  /// The members of the result, without those of the step.
  package var members: JSONMembers {
    [.init("status", status.json)] + (outcome?.members(of: step) ?? []) + remarks
      + JSONValue.members(["error": failure?.json])
  }

  /// The notes and attempts, if there are any.
  package var remarks: JSONMembers {
    JSONValue.members([
      "notes": notes.isEmpty ? nil : notes.json, "tries": tries.isEmpty ? nil : tries.json,
    ])
  }

  package init?(recorded json: JSONValue, of step: ReportedStep, took: Duration) {
    guard let status: Status = json.read("status") else { return nil }
    self.init(
      step, status: status, outcome: StepOutcome(recorded: json), failure: json.read("error"),
      notes: json.read("notes") ?? [], tries: json.read("tries") ?? [], took: took
    )
  }
}

extension StepTry: JSONObjectForm {
  package static let form = JSONKeys<StepTry>(
    { StepTry(began: $0, took: $1, why: $2) },
    .key("offset", \.began),
    .key("took", \.took),
    .optional("why", \.why)
  )
}

extension DeviceCandidate: JSONObjectForm {
  package static let form = JSONKeys<DeviceCandidate>(
    { DeviceCandidate(address: $0, name: $1, rssi: $2) },
    .key("address", \.address),
    .optional("name", \.name, orNull: true),
    .optional("rssi", \.rssi, orNull: true)
  )
}

extension StepOutcome {
  package func members(of step: ReportedStep) -> JSONMembers {
    switch self {
    case .linked(let origin, let candidates):
      [.init("link", .string(origin.rawValue))]
        + (candidates.isEmpty ? [] : [.init("candidates", candidates.json)])
    case .left: [.init("link", "left".json)]
    case .value(let value): value.members(of: step)
    case .paired(.paired(let isAuthenticated)):
      [.init("pairing", "paired".json), .init("authenticated", isAuthenticated.json)]
    case .paired(.already): [.init("pairing", "already".json)]
    case .written(let octets): [.init("hex", HexText(octets).json)]
    case .listened(let count, let rate, let dropped):
      [
        .init(
          "value",
          .object(
            JSONValue.members([
              "count": count.json, "rate": rate.json, "dropped": dropped > 0 ? dropped.json : nil,
            ])
          )
        )
      ]
    case .polled(let count, let rate, let latencies):
      [.init("value", JSONValue(["count": count, "rate": rate, "latency": latencies]))]
    case .exchanged(let value, let answered, let notified):
      value.members(of: step) + [
        .init("answered", answered.json), .init("notified", notified.json),
      ]
    case .mtu(let octets): [.init("value", octets.json)]
    case .services(let services, let names):
      [.init("value", .array(services.map { JSONValue($0, names) }))]
    case .scanned(let found):
      [.init("value", JSONValue(["count": found.count, "devices": found.map { JSONValue($0) }]))]
    case .logged(let text): [.init("value", text.json)]
    }
  }

  /// Reads the outcome of a step's line; nil if it has none. An outcome without a short form
  /// becomes its text.
  package init?(recorded json: JSONValue) {
    let operation = json["operation"]?.string
    if let link = json["link"]?.string {
      let origin = LinkOrigin(rawValue: link)
      self = origin.map { .linked($0, candidates: json.read("candidates") ?? []) } ?? .left
    } else if let pairing = json["pairing"]?.string {
      let isAuthenticated = json.read("authenticated") ?? false
      self = .paired(pairing == "paired" ? .paired(isAuthenticated: isAuthenticated) : .already)
    } else if let value = json["value"] {
      if let count: Int = value.read("count"), let rate = value["rate"] {
        let rate = rate.double ?? .infinity
        if value["latency"] != nil {
          self = .polled(count: count, rate: rate, latencies: value.read("latency"))
        } else {
          self = .listened(count: count, rate: rate, dropped: value.read("dropped") ?? 0)
        }
      } else if let count: Int = value.read("count"), let devices = value["devices"]?.elements {
        let names = devices.compactMap { $0["name"]?.string ?? $0["address"]?.string }
        self = .logged(Self.list(counted(count, "device"), names))
      } else if operation == "services" {
        let names = value.elements.compactMap { service in
          service["name"]?.string
            ?? service["uuid"]?.string.flatMap { BluetoothUUID($0) }.map { "\($0)" }
        }
        self = .logged(Self.list(counted(value.elements.count, "service"), names))
      } else if operation == "log", let text = value.string {
        self = .logged(text)
      } else if operation == "mtu", let octets = value.integer {
        self = .mtu(octets)
      } else {
        let value = StepValue(recorded: json)
        if let answered: Duration = json.read("answered"),
          let notified: Duration = json.read("notified")
        {
          self = .exchanged(value, answered: answered, notified: notified)
        } else {
          self = .value(value)
        }
      }
    } else {
      guard let written: HexText = json.read("hex") else { return nil }
      self = .written(written.octets)
    }
  }

  private static func list(_ count: String, _ names: [String]) -> String {
    names.isEmpty ? count : "\(count): \(names.joined(separator: ", "))"
  }
}

extension Percentiles: JSONObjectForm {
  package static let form = JSONKeys<Percentiles>(
    { Percentiles(p50: $0, p95: $1, p99: $2) },
    .key("p50", \.p50),
    .key("p95", \.p95),
    .key("p99", \.p99)
  )
}

extension StepValue {
  /// The bytes as hexadecimal digits.
  package var hex: String { DecodedValue.octets(octets).description }

  /// The members of the value; without bytes if the step has none, such as an RSSI.
  package func members(of step: ReportedStep) -> JSONMembers {
    [.init("value", decoded?.json ?? .null)]
      + (step.hasOctets ? JSONValue.members(["hex": hex.json, "problem": problem?.json]) : [])
  }

  /// Reads a value. It is decoded again if that yields the recorded value, which restores the
  /// units.
  package init(recorded json: JSONValue) {
    let octets: HexText? = json.read("hex")
    let recorded: DecodedValue? = json.read("value")
    let uuid = json["attribute"]?.string.flatMap { StepValue.uuid(of: $0) }
    let decoded = octets.flatMap { try? StepValue.decode($0.octets, of: uuid, format: nil) }
    self.init(
      octets: octets?.octets ?? [], decoded: decoded?.json == recorded?.json ? decoded : recorded,
      problem: json["problem"]?.string
    )
  }
}

extension DecodedValue: JSONForm {
  /// Reads a value; nil for null.
  package init?(json: JSONValue) {
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
    case .array(let values): self = .list(values.compactMap { DecodedValue(json: $0) })
    case .object(let members):
      self = .fields(
        members.compactMap { member in
          DecodedValue(json: member.value).map { Field(member.key, $0) }
        }
      )
    }
  }

  package var json: JSONValue { JSONValue(self) }
}
