// Reads the head of a batch file. Its devices are in BatchReader+Devices.swift.

public import Bluetooth
public import Documents

extension Batch {
  /// Reads a batch file, with the chain and the table that it names, and makes all plans.
  ///
  /// Reads all files and runs nothing: a batch that loads has valid files.
  ///
  /// ```swift
  /// let batch = try Batch.load(path: "fleet.yaml", with: ["least": "20"])
  /// print(batch.extent)  // 12 devices
  /// ```
  ///
  /// - Parameters:
  ///   - path: The batch file.
  ///   - bindings: Values for the variables of all devices; they override those of the files.
  ///   - names: Names for UUIDs; those of the files override them.
  ///   - limits: The limits of the batch.
  ///   - change: A change to the plan of each device, after all files are read.
  /// - Throws: `DocumentErrors` with all errors. An error in the values of one device has the
  ///   position of that device.
  public static func load(
    path: String,
    with bindings: Bindings = Bindings(),
    names: AttributeNames = .assigned,
    limits: BatchLimits = BatchLimits(),
    changing change: @escaping @Sendable (inout Plan) -> Void = { _ in }
  ) throws(DocumentErrors) -> Batch {
    let root = try document(at: path, limits)
    var reader = BatchReader(path: path, given: bindings, names: names, limits: limits)
    reader.change = change
    return try reader.batch(root)
  }

  /// The absolute path of a batch file, without symbolic links, which identifies the batch.
  public static func wholePath(of path: String) -> String {
    FolderOfFile.realPath(path) ?? path
  }

  /// Whether a file is a batch: it has devices, and a chain or steps.
  ///
  /// False for a file that cannot be read; reading it as a chain then reports why.
  ///
  /// ```swift
  /// let path = "fleet.yaml"
  /// let lines = Batch.isMeant(at: path)
  ///   ? try Batch.load(path: path).lines : try Plan(file: path).lines
  /// ```
  public static func isMeant(at path: String) -> Bool {
    Document.keys(at: path).map(isMeant(by:)) ?? false
  }

  /// Whether a file with these keys is a batch.
  package static func isMeant(by keys: [String]) -> Bool {
    keys.contains("devices") && (keys.contains("chain") || keys.contains("steps"))
  }

  private static func document(
    at path: String,
    _ limits: BatchLimits
  ) throws(DocumentErrors) -> Node {
    let bounds = DocumentLimits(octets: 1 << 22, depth: 48, nodes: 32 * limits.plan.writtenSteps)
    return try Document.parse(
      TextFile.read(path, limit: bounds.octets),
      file: path,
      limits: bounds
    )
  }
}

/// Reads a batch, collecting every complaint.
struct BatchReader {
  let path: String
  let given: Bindings
  let limits: BatchLimits
  /// The names that are given, before them those of the batch.
  var names: AttributeNames
  let folder: FolderOfFile
  var change: @Sendable (inout Plan) -> Void = { _ in }
  var problems: [DocumentProblem] = []

  init(path: String, given: Bindings, names: AttributeNames, limits: BatchLimits) {
    self.names = names
    self.path = path
    self.given = given
    self.limits = limits
    folder = FolderOfFile(path)
  }

  /// The keys of a chain that a batch may have instead of `chain: FILE`.
  static let chainKeys = [
    "steps", "variables", "environment", "timeout", "pairing", "keep", "fresh", "take-over",
    "wait-for-adapter",
  ]

  mutating func batch(_ root: Node) throws(DocumentErrors) -> Batch {
    var reader = MappingReader(root)
    let name = reader.optional("name").flatMap { read($0, .text("a text")) }
    if let own = reader.optional("names") { names = read(own, .names) ?? names }
    let chain = chain(&reader, root)
    let common = reader.optional("with").map { bindings($0) } ?? Bindings()
    let devices = reader.required("devices", expected: Self.devicesShape)
    let most = limits.concurrency
    let concurrency = reader.optional("concurrency").flatMap {
      read($0, .integer("a number of chains at once", "chains") { _ in 1...most })
    }
    let onFailure = reader.optional("on-failure").flatMap { failureRule($0) }
    let retry = reader.optional("retry").flatMap { read($0, .retry) }
    let deadline = reader.optional("deadline").flatMap { read($0, .duration) }
    let every = reader.optional("every", expected: "a duration from 1s on such as 15m") {
      $0.duration.flatMap { $0 >= .seconds(1) ? $0 : nil }
    }
    for key in ["cron", "jitter"] where reader.has(key) {
      guard let node = reader.optional(key) else { continue }
      complain(node, Complaint("unknown key '\(key)'", expected: "'every', or a systemd timer"))
    }
    let placement = placement(&reader)
    problems += root.mapping == nil ? Array(reader.problems.prefix(1)) : reader.finish()
    guard let chain, let devices else { throw DocumentErrors(problems) }
    let template = BatchTemplate(
      chain: chain,
      common: common,
      given: given,
      names: names,
      retry: retry,
      placement: placement,
      change: change
    )
    let planned = self.devices(devices, template)
    guard problems.isEmpty, let planned else { throw DocumentErrors(problems) }
    return Batch(
      name: name,
      devices: planned,
      concurrency: concurrency ?? 1,
      onFailure: onFailure ?? .continue,
      deadline: deadline,
      every: every
    )
  }

  mutating func complain(_ node: Node, _ complaint: Complaint) {
    problems.append(complaint.about(node))
  }

  // MARK: The chain

  /// `chain: FILE`, or the keys of a chain in the batch itself.
  private mutating func chain(_ reader: inout MappingReader, _ root: Node) -> ChainTemplate? {
    let file = reader.optional("chain")
    let own = Self.chainKeys.compactMap { key in reader.optional(key).map { (key, $0) } }
    guard let file else {
      guard own.contains(where: { $0.0 == "steps" }) else {
        let message = "the chain is missing"
        complain(root, Complaint(message, expected: "'chain' with a file, or 'steps'"))
        return nil
      }
      let keys = Self.chainKeys + ["name"]
      let entries = (root.mapping ?? []).filter { keys.contains($0.key) }
      let body = Node(.mapping(entries), at: root.place, path: root.path)
      return ChainTemplate.of(body, in: path, limits.plan)
    }
    for (key, node) in own {
      let message = "'\(key)' belongs to a chain, and the batch names a file with one"
      complain(node, Complaint(message, expected: "'\(key)' in that file"))
    }
    guard let found = below(file, shape: Self.chainShape) else { return nil }
    do {
      return try ChainTemplate.load(path: found, limits: limits.plan)
    } catch {
      problems += error.problems
      return nil
    }
  }

  /// The path of the file that a node names, below the folder of the batch; adds an error when it
  /// may not be read.
  mutating func below(_ node: Node, shape: String) -> String? {
    guard let name = node.text else {
      complain(node, Complaint(found: node.shown, expected: shape))
      return nil
    }
    let path = TextFile.path(name, beside: self.path)
    do {
      _ = try folder.realPath(of: path, owner: "the batch")
      return path
    } catch {
      complain(node, Complaint("'\(name)': \(error.reason)", expected: shape))
      return nil
    }
  }

  private static let chainShape = "the path of a chain file below the folder of the batch"

  // MARK: How

  private mutating func failureRule(_ node: Node) -> FailureRule? {
    switch node.text {
    case "continue": return .continue
    case "stop": return .stop(after: 1)
    case let word?:
      let known = ["continue", "stop", "{ stop-after: 3 }"]
      complain(node, .unknown(found: "'\(word)'", word, among: known))
      return nil
    case nil: break
    }
    guard node.mapping != nil else {
      let expected = "continue, stop, or { stop-after: 3 }"
      complain(node, Complaint(found: node.shown, expected: expected))
      return nil
    }
    var reader = MappingReader(node)
    let count = reader.required("stop-after", expected: "a number of failures, at least 1") {
      $0.integer.flatMap { $0 > 0 ? $0 : nil }
    }
    problems += reader.finish()
    return count.map { .stop(after: $0) }
  }

  /// The gateways for all devices, or for one.
  mutating func placement(_ reader: inout MappingReader) -> Placement {
    var steps = StepReader(limits: limits.plan, names: names)
    defer { problems += steps.problems }
    return Placement.take(from: &reader, &steps) ?? Placement()
  }

  /// `with: { level: 5 }`.
  mutating func bindings(_ node: Node) -> Bindings { read(node, .bindings) ?? Bindings() }

  /// A value that chains have, too; nil after an error.
  private mutating func read<Value>(_ node: Node, _ shape: Shape<Value>) -> Value? {
    var reader = StepReader(limits: limits.plan, names: names)
    defer { problems += reader.problems }
    return reader.read(node, shape)
  }
}
