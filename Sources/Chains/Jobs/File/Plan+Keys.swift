// The top-level keys of a chain file, with those of `device` and `retry`.
//
// The keys of steps are in `Kinds`.

import Bluetooth
import Documents

extension Plan: Described {
  init() { self.init(steps: []) }

  static let keys: [Key<Plan>] = [
    Key("name", \.name, .text("a text"), "the name of the chain, for people"),
    // Read before the keys whose values use the names.
    .names(\.names),
    Key(
      "device",
      \.namedDevice,
      .device,
      "a name or an address, or a mapping such as `{ name: \"HRM-*\" }`, that selects the device: [which device](#which-device)"
    ),
    Key(
      "timeout", \.timeout, .duration, default: defaultTimeout,
      "the default timeout per step; 20 s when it is not set"
    ),
    Key(
      "retry", \.retry, .retry, default: RetryRule(),
      "`{ attempts: 3, backoff: 500ms }`: how often the chain is tried, from connecting on, when it ends in a transient failure; the wait doubles"
    ),
    Key(
      "pairing",
      \.pairing,
      PairingRule.shape,
      "the answers to pairings that the device starts: [pairing.md](pairing.md)"
    ),
    Key("keep", \.link.isKept, .truth, default: false, "`true`: the connection is left up"),
    Key(
      "fresh", \.link.isFresh, .truth, default: false,
      "`true`: the device and its bond are forgotten first"
    ),
    Key(
      "take-over", \.link.takesOver, .truth, default: false,
      "`true`: another program's attempt to connect is cancelled"
    ),
    Key(
      "exclusive", \.link.isExclusive, .truth, default: false,
      "`true`: the chain fails when the device is connected already, by another program or account"
    ),
    Key(
      "wait-for-adapter",
      \.link.adapterWait,
      .duration,
      "how long to wait until the adapter is present and powered"
    ),
    Key("steps", \.steps, .chainSteps, "at least one"),
  ]
}

extension Shape where Value == [Step] {
  /// The top-level steps; unlike inner steps, they do not add to the nesting depth.
  fileprivate static var chainSteps: Self {
    Shape("a list of steps", schema: .reference("steps")) { node, reader in
      reader.steps(node)
    }
  }
}

extension RetryRule: Described {
  /// Creates a rule with a single attempt.
  public init() { self.init(attempts: 1) }

  static let keys: [Key<RetryRule>] = [
    Key("attempts", \.attempts, .attempts, "the total number of tries"),
    Key(
      "backoff", \.backoff, .pause("500ms"), default: .milliseconds(500),
      "the wait before the second try"
    ),
  ]
}

extension Shape where Value == Int {
  static var attempts: Self {
    .integer("a number of tries", "tries") { 1...max(1, $0.attempts) }
  }
}

extension Shape where Value == RetryRule {
  static var retry: Self {
    let expected = "tries such as { attempts: 3, backoff: 500ms }"
    return Shape(expected, schema: .reference("retry")) { node, reader in
      RetryRule.read(node, &reader, expected: expected)
    }
  }
}

/// The keys that name a device, in chains and in batches.
struct DeviceKeys: Described {
  var name: String?
  var address: BluetoothAddress?
  var service: ServiceSelector?
  var alias: String?
  var isExact = false
  var isUnique = false
  var choice: Duration?

  private static let ways = ["name", "address", "service", "alias"]
  static let expected = "one of { name }, { address }, { service }, { alias }"

  static let keys: [Key<Self>] = [
    Key("name", \.name, .deviceName, "the name that it advertises"),
    Key("address", \.address, .address, "its address"),
    Key("service", \.service, .service, "a service that it advertises"),
    Key("alias", \.alias, .deviceName, "its alias in BlueZ"),
    Key("exact", \.isExact, .truth, default: false, "whether the case of the name or alias counts"),
    Key(
      "unique", \.isUnique, .truth, default: false,
      "whether the chain fails when several devices match"
    ),
    Key(
      "choice", \.choice, .pause("1s"),
      "from the start of a scan until the strongest is chosen; 1s when it is not set"
    ),
  ]
  static let rules: [KeyRule] = [
    KeyRule(schema: ["oneOf": .requiring(each: ways)]) { isGiven in
      ways.count(where: isGiven) < 2
        ? [] : [([], Problem("a device is identified by exactly one key", expected: expected))]
    },
    .flag("exact", with: ["name", "alias"]),
    .flag("unique", with: ["name", "service", "alias"]),
    .key("choice", with: ["name", "service", "alias"]),
  ]

  /// The device by the first given key; nil if none is given.
  var target: DeviceTarget? {
    name.map { .name($0, exact: isExact) } ?? address.map { .address($0) }
      ?? service.map { .service($0) } ?? alias.map { .alias($0, exact: isExact) }
  }
}

/// The device of a chain, and the choice among several matches.
struct NamedDevice: Hashable {
  let target: DeviceTarget
  var isUnique = false
  var choice: Duration?
}

extension Plan {
  /// The value of the key `device`, which sets ``device``, ``LinkRule/isUnique`` and
  /// ``LinkRule/choice``.
  fileprivate var namedDevice: NamedDevice? {
    get { device.map { NamedDevice(target: $0, isUnique: link.isUnique, choice: link.choice) } }
    set {
      device = newValue?.target
      link.isUnique = newValue?.isUnique ?? false
      link.choice = newValue?.choice
    }
  }
}

extension Shape where Value == NamedDevice {
  fileprivate static var device: Self {
    let expected = "a name, an address, or \(DeviceKeys.expected)"
    let schema = JSONValue.anyOf([.type("string"), .reference("device")])
    return Shape(expected, schema: schema, words: { ["\($0.target)"] }) { node, reader in
      if node.text != nil {
        return reader.parsed(node) { NamedDevice(target: try DeviceTarget(parsing: $0)) }
      }
      let before = reader.problems.count
      guard let keys = DeviceKeys.read(node, &reader, expected: expected) else { return nil }
      guard let target = keys.target else {
        if reader.problems.count == before {
          reader.complain(node, Problem("no device is named", expected: expected))
        }
        return nil
      }
      return NamedDevice(target: target, isUnique: keys.isUnique, choice: keys.choice)
    }
  }
}

extension Shape where Value == String {
  /// The name of a device; it must not be empty.
  static var deviceName: Self {
    var shape = Shape(
      ScanStep.nameShape, schema: .type("string"), words: { [Quoting.quoted($0)] }
    ) { node, reader in
      guard let text = node.text else { return nil }
      if text.isEmpty { reader.complain(node, .emptyName) }
      return text.isEmpty ? nil : text
    }
    shape.operations.problem = { name, _ in name.isEmpty ? .emptyName : nil }
    return shape
  }
}

extension Problem {
  static let emptyName = Problem("\(InvalidDeviceTarget.emptyName)", expected: ScanStep.nameShape)
}

extension Shape where Value == ServiceSelector {
  static var service: Self {
    Shape(ScanStep.serviceShape, schema: .reference("name"), words: { ["\($0)"] }) { node, reader in
      guard let text = node.text else { return nil }
      do throws(SelectorError) {
        return try ServiceSelector(parsing: text, names: reader.includeContext.names)
      } catch {
        var problem = Problem(error)
        if error.nearest == nil { problem.expected = ScanStep.serviceShape }
        reader.complain(node, problem)
        return nil
      }
    }
  }
}
