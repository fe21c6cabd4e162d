// The keys of a batch file.
//
// The `devices` key is described in BatchFile+Devices.swift.

import Bluetooth
import Documents

/// A batch file, before its chain and its table are read.
struct BatchFile: Described {
  var name: String?
  var names = AttributeNames.assigned
  /// The path of the chain file; nil if the batch file contains the steps.
  var chain: String?
  var common = Bindings()
  var devices = Devices.list([])
  var concurrency = 1
  var onFailure = FailureRule.continue
  var first = 0
  var retry: RetryRule?
  var deadline: Duration?
  var every: Duration?
  var placement = Placement()

  /// The keys of a chain that a batch file may contain instead of `chain: FILE`. They are read
  /// again for each device, with its variables.
  static let chainKeys: [KeyDescription] = {
    let own = ["name", "names", "device", "retry"]
    let plan = Plan.keys.map(\.description).filter { !own.contains($0.name) }
    let steps = plan.filter { $0.name == "steps" }
    let others = plan.filter { $0.name != "steps" }
    return (steps + Declarations.descriptions + others).map(\.ofChain)
  }()

  static let keys: [Key<Self>] =
    [
      Key("name", \.name, .text("a text"), "the name of the batch, for people"),
      // Read before the keys whose values use the names.
      .names(\.names),
      Key(
        "chain",
        \.chain,
        .file("a chain file"),
        "the path of a chain file, below the folder of the batch"
      ),
    ] + chainKeys.map { Key(readElsewhere: $0) } + [
      Key(
        "with", \.common, .bindings, default: Bindings(), "values for the variables of all devices"
      ),
      Key("devices", \.devices, .devices, "listed, in a table, or found by a scan"),
      Key(
        "concurrency", \.concurrency,
        .integer("a number of chains at once", "chains") { 1...$0.concurrency }, default: 1,
        "how many chains run at once; 1 when it is not set"
      ),
      Key(
        "on-failure", \.onFailure, .failureRule, default: .continue,
        "what a failure means for the devices that have not begun"
      ),
      Key(
        "first", \.first, .integer("a number of devices", "devices") { 1...$0.devices },
        default: 0,
        "how many devices run before all others, which begin only if each of these succeeds"
      ),
      Key("retry", \.retry, .retry, "how often each chain is tried; replaces that of the chain"),
      Key("deadline", \.deadline, .duration, "the deadline of one run of the batch"),
      Key(
        "every",
        \.every,
        .interval,
        "the interval at which the batch runs; once when it is not set"
      ),
    ] + Placement.keys.map { $0.of(\.placement) }

  static let rules: [KeyRule] = {
    let ofChain = chainKeys.map(\.name)
    let either = JSONValue.required("chain").adding("anyOf", .requiring(each: ofChain))
    return [
      .some(
        of: ["chain", "steps"], "the chain is missing", expected: "'chain' with a file, or 'steps'",
        at: "devices"
      ),
      KeyRule(schema: ["not": either]) { isGiven in
        guard isGiven("chain") else { return [] }
        return ofChain.filter(isGiven).map { key in
          let message = "the batch names a chain file, so it cannot have '\(key)'"
          return ([key], Problem(message, expected: "'\(key)' in that file"))
        }
      },
    ]
  }()
}

extension KeyDescription {
  /// The description of a chain's key for use in a batch file.
  fileprivate var ofChain: KeyDescription {
    let reference = "\(ChainSchema.file)#/definitions/chain/properties/\(name)"
    let shape = ShapeDescription(shape.file(PlanLimits()), schema: ["$ref": .string(reference)])
    return KeyDescription(name: name, documentation: documentation, shape: shape)
  }
}

extension Shape where Value == String {
  /// A path that must stay below the folder of the file that names it.
  ///
  /// - Parameter what: The kind of file, for errors: "a table".
  static func file(_ what: String) -> Self {
    let expected = "the path of \(what)"
    return Shape(expected, schema: .type("string")) { node, reader in
      let expected = "\(expected) below the folder of the batch"
      guard let name = node.text else {
        reader.complain(node, Problem(found: node.shown, expected: expected))
        return nil
      }
      let path = TextFile.path(name, beside: node.place.file)
      do throws(Problem) {
        _ = try FolderOfFile(node.place.file).realPath(of: path, owner: "the batch")
        return path
      } catch {
        reader.complain(node, Problem("'\(name)': \(error.message)", expected: expected))
        return nil
      }
    }
  }
}

extension Shape where Value == Duration {
  fileprivate static var interval: Self {
    Shape("a duration of at least 1s such as 15m", schema: .reference("duration")) { node, _ in
      node.duration.flatMap { $0 >= .seconds(1) ? $0 : nil }
    }
  }
}

extension Shape where Value == FailureRule {
  fileprivate static var failureRule: Self {
    let words: [String: FailureRule] = ["continue": .continue, "stop": .stop(after: 1)]
    let schema = JSONValue.anyOf([.oneOf(words.keys.sorted()), .reference("failures")])
    return Shape("continue, stop, or { stop-after: 3 }", schema: schema) { node, reader in
      if node.mapping != nil { return StopRule.read(node, &reader)?.rule }
      guard let word = node.text else { return nil }
      if let rule = words[word] { return rule }
      let known = words.keys.sorted() + ["{ stop-after: 3 }"]
      reader.complain(node, .unknown(found: "'\(word)'", word, among: known))
      return nil
    }
  }
}

/// The mapping `{ stop-after: 3 }` or `{ stop-above: 20 }`.
struct StopRule: Described {
  var count: Int?
  var percent: Int?

  static let keys: [Key<Self>] = [
    Key("stop-after", \.count, .failures, "no device begins after so many failures"),
    Key(
      "stop-above", \.percent, .integer("a percentage", "percent") { _ in 0...99 },
      "no device begins once more than so many percent of all devices have failed"
    ),
  ]
  static let rules: [KeyRule] = [
    .one(
      of: ["stop-after", "stop-above"], "the limit of failures is missing, or there are two",
      expected: "{ stop-after: 3 } or { stop-above: 20 }"
    )
  ]

  /// The rule; nil for a mapping with neither key, which is reported.
  var rule: FailureRule? {
    count.map { .stop(after: $0) } ?? percent.map { .stopAbove(percent: $0) }
  }
}

extension Shape where Value == Int {
  fileprivate static var failures: Self {
    Shape(
      "a number of failures, at least 1", schema: ["type": "integer", "minimum": 1]
    ) { node, _ in node.integer.flatMap { $0 > 0 ? $0 : nil } }
  }
}
