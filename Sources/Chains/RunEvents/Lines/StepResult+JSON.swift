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
      // A value with bytes is that of a device, whose fields may have these names.
      let isSummary = json["hex"] == nil
      if isSummary, let count: Int = value.read("count"), let rate = value["rate"] {
        let rate = rate.double ?? .infinity
        if value["latency"] != nil {
          self = .polled(count: count, rate: rate, latencies: value.read("latency"))
        } else {
          self = .listened(count: count, rate: rate, dropped: value.read("dropped") ?? 0)
        }
      } else if isSummary, let count: Int = value.read("count"),
        let devices = value["devices"]?.elements
      {
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

  /// The members of the value; without bytes if the step has none, such as an RSSI. Without a
  /// presentation, too, if the bytes decode to the value by the specification of their attribute.
  package func members(of step: ReportedStep) -> JSONMembers {
    let octets = step.hasOctets ? octets : nil
    let isSpecified = decoded == Self.specified(octets, of: step.attribute)
    return [.init("value", decoded.json)]
      + JSONValue.members([
        "hex": octets.map { HexText($0).json }, "problem": octets == nil ? nil : problem?.json,
        "presentation": isSpecified ? nil : decoded?.presentation,
      ])
  }

  /// Reads a value. Without a presentation, it is decoded again if that yields the recorded value.
  package init(recorded json: JSONValue) {
    let octets = json.read("hex").map { (hex: HexText) in hex.octets }
    let (value, presentation) = (json["value"] ?? .null, json["presentation"])
    let specified = Self.specified(octets, of: json["attribute"]?.string)
    let isSpecified = presentation == nil && specified?.json == value
    self.init(
      octets: octets ?? [],
      decoded: isSpecified ? specified : DecodedValue(json: value, presentation),
      problem: json["problem"]?.string
    )
  }

  /// The value of bytes by the specification of their attribute; plain bytes without one, and nil if
  /// they do not match it.
  private static func specified(_ octets: [UInt8]?, of attribute: String?) -> DecodedValue? {
    let uuid = attribute.flatMap { Self.uuid(of: $0) }
    return octets.flatMap { try? decode($0, of: uuid, format: nil) }
  }
}

extension DecodedValue: JSONForm {
  /// Reads a value without a presentation; nil for null.
  package init?(json: JSONValue) { self.init(json: json, nil) }

  package var json: JSONValue { JSONValue(self) }

  /// Reads a value; nil for null, unless the presentation has a number that is not finite.
  ///
  /// - Parameter presentation: The ``presentation`` of the value.
  init?(json: JSONValue, _ presentation: JSONValue?) {
    switch json {
    case .null:
      guard let number = presentation?["number"]?.string.flatMap({ Double($0) }) else { return nil }
      self = .real(number, decimals: 0)
    case .boolean(let truth): self = .boolean(truth)
    case .number(let text):
      if let number = Int128(text) {
        self = .integer(number)
      } else {
        let digits = text.split(separator: ".").dropFirst().first?.utf8.count ?? 0
        let decimals = presentation?["decimals"]?.integer ?? min(digits, 6)
        self = .real(Double(text) ?? .nan, decimals: max(0, min(decimals, 15)))
      }
    case .string(let text): self = .text(text)
    case .array(let values):
      let items = presentation?["items"]?.elements ?? []
      self = .list(
        values.enumerated().compactMap { index, value in
          DecodedValue(json: value, index < items.count ? items[index] : nil)
        }
      )
    case .object(let members):
      self = .fields(
        members.compactMap { member in
          let own = presentation?[member.key]
          return DecodedValue(json: member.value, own).map {
            Field(
              member.key, $0, unit: own?["unit"]?.string, qualifier: own?["qualifier"]?.string
            )
          }
        }
      )
    }
  }

  /// The parts of the text of the value that its JSON does not have; nil if there are none.
  /// docs/json.md documents the keys.
  var presentation: JSONValue? { Field("", self).presentation }
}

extension DecodedValue.Field {
  fileprivate var presentation: JSONValue? {
    var members = JSONValue.members(["unit": unit?.json, "qualifier": qualifier?.json])
    switch value {
    case .integer, .text, .boolean, .octets: break
    case .real(let number, let decimals):
      if !number.isFinite {
        members.append(.init("number", "\(number)".json))
      } else if DecodedValue(json: value.json) != value {
        members.append(.init("decimals", decimals.json))
      }
    case .list(let values):
      let items = values.map(\.presentation)
      if items.contains(where: { $0 != nil }) { members.append(.init("items", items.json)) }
    case .fields(let fields):
      members = fields.compactMap { field in
        field.presentation.map { .init(field.name, $0) }
      }
    }
    return members.isEmpty ? nil : .object(members)
  }
}
