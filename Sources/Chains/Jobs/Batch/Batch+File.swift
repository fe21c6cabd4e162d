// Loads a batch from its file, with the chain and the table that the file names.
//
// The keys of the file are described in BatchFile.swift.

public import Bluetooth
public import Documents

extension Batch {
  /// Loads a batch file, with the chain and the table that it names, and creates all plans.
  ///
  /// Reads every file and runs nothing, so a batch that loads has valid files.
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
  ///   - limits: The limits of the batch and of its chains.
  ///   - change: A change to the plan of each device, applied after all files are read.
  /// - Throws: `DocumentErrors` with all errors. An error in the values of one device has the
  ///   position of that device.
  public static func load(
    path: String, with bindings: Bindings = Bindings(), names: AttributeNames = .assigned,
    limits: PlanLimits = PlanLimits(),
    changing change: @escaping @Sendable (inout Plan) -> Void = { _ in }
  ) throws(DocumentErrors) -> Batch {
    let text = try TextFile.read(path, limit: limits.document.octets)
    let root = try Document.parse(text, file: path, limits: limits.document)
    var reader = StepReader(limits: limits, names: names)
    let file = BatchFile.read(from: root, &reader)
    guard let file, let devices = root.value(of: "devices"),
      let chain = reader.chain(of: file, root, in: path)
    else { throw DocumentErrors(reader.problems) }
    let template = BatchTemplate(
      chain: chain, common: file.common, given: bindings, names: reader.includeContext.names,
      retry: file.retry, placement: file.placement, change: change
    )
    let made = reader.devices(file.devices, at: devices, template)
    guard let made, reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    return Batch(
      name: file.name, devices: made, concurrency: file.concurrency, onFailure: file.onFailure,
      first: file.first, deadline: file.deadline, every: file.every
    )
  }

  /// Resolves the absolute path of a batch file without symbolic links; it identifies the batch.
  public static func wholePath(of path: String) -> String {
    FolderOfFile.realPath(path) ?? path
  }

  /// Whether a file looks like a batch: it has `devices`, and another key of a batch, such as `chain`.
  ///
  /// False for an unreadable file; loading it as a chain then reports the error.
  ///
  /// ```swift
  /// let path = "fleet.yaml"
  /// let lines = Batch.recognizes(fileAt: path)
  ///   ? try Batch.load(path: path).lines : try Plan(file: path).lines
  /// ```
  public static func recognizes(fileAt path: String) -> Bool {
    Document.keys(at: path).map(recognizes(keys:)) ?? false
  }

  /// Whether these top-level keys are those of a batch, even if `chain` is misspelt.
  package static func recognizes(keys: [String]) -> Bool {
    keys.contains("devices") && !keys.contains("scenario") && keys.contains(where: own.contains)
  }

  /// The keys that only a batch has beside `devices`.
  private static let own = BatchFile.keys.map(\.name).filter {
    !["name", "names", "devices"].contains($0)
  }
}

extension BatchFile {
  fileprivate static func read(from root: Node, _ reader: inout StepReader) -> BatchFile? {
    var mapping = MappingReader(root)
    let file = readKeys(from: &mapping, &reader)
    for key in ["cron", "jitter"] where mapping.has(key) {
      guard let node = mapping.optional(key) else { continue }
      let problem = Problem("unknown key '\(key)'", expected: "'every', or a systemd timer")
      reader.complain(node, problem)
    }
    reader.finish(&mapping)
    return file
  }
}

extension StepReader {
  /// Loads the chain from the file that the batch names, or from the batch file itself; nil after
  /// an error.
  fileprivate mutating func chain(
    of file: BatchFile, _ root: Node, in path: String
  ) -> ChainTemplate? {
    if root.value(of: "chain") == nil {
      guard root.value(of: "steps") != nil else { return nil }
      let keys = BatchFile.chainKeys.map(\.name) + ["name"]
      let entries = (root.mapping ?? []).filter { keys.contains($0.key) }
      let body = Node(.mapping(entries), at: root.place, path: root.path)
      return ChainTemplate.of(body, in: path, limits)
    }
    guard let chain = file.chain else { return nil }
    do {
      return try ChainTemplate.load(path: chain, limits: limits)
    } catch {
      problems += error.problems
      return nil
    }
  }

  /// Creates the devices with their plans; nil after an error.
  fileprivate mutating func devices(
    _ devices: BatchFile.Devices, at node: Node, _ template: BatchTemplate
  ) -> Batch.Devices? {
    switch devices {
    case .list(let named): return listed(named, of: node, template)
    case .table(let table): return rows(of: table, node).flatMap { listed($0, of: node, template) }
    case .scan(let found):
      do {
        let most = found.most ?? limits.devices
        return .scanned(try BatchScan(found.scanning, least: found.least, most: most, template))
      } catch {
        problems += error.problems
        return nil
      }
    }
  }

  // MARK: A table

  /// Reads a device from each row; nil after an error in the header of the table.
  private mutating func rows(of source: DeviceTable, _ node: Node) -> [BatchFile.NamedDevice]? {
    let table: CSVTable
    do throws(DocumentErrors) {
      let bounds = DocumentLimits(octets: 1 << 24, nodes: 64 * limits.devices)
      let text = try TextFile.read(source.file, limit: bounds.octets)
      table = try CSVTable.parse(text, file: source.file, limits: bounds)
    } catch {
      problems += error.problems
      return nil
    }
    var indices: [String: Int] = [:]
    for (key, column) in source.columns.sorted(by: { $0.key < $1.key }) {
      indices[key] = table.columns.firstIndex(of: column)
      guard indices[key] == nil else { continue }
      let message = "unknown column '\(column)' in \(table.file)"
      complain(node.value(of: key) ?? node, .unknown(message, column, among: table.columns))
    }
    guard indices.count == source.columns.count, let naming = source.naming,
      let column = indices[naming.rawValue],
      let shape = ListedDevice.keys.first(where: { $0.name == naming.rawValue })?.shape
    else { return nil }
    let keys = indices.sorted { $0.key < $1.key }
    return table.rows.compactMap { cells in
      guard !cells[column].cellText.isEmpty else {
        complain(cells[column], Problem(found: "an empty cell", expected: shape.expected(self)))
        return nil
      }
      // Read like a listed device: the cells become the values of the keys that name the columns.
      let entries = keys.filter { !cells[$0.value].cellText.isEmpty }.map { key, index in
        let cell = cells[index]
        let text = Node(.scalar(cell.cellText, isPlain: false), at: cell.place, path: "")
        return Node.Entry(key: key, keyPlace: cell.place, value: text)
      }
      let row = Node(.mapping(entries), at: cells[column].place, path: "")
      guard var device = listed(row) else { return nil }
      for (name, value) in zip(table.columns, cells) {
        if value.cellText.isEmpty {
          device.bindings.leave(name)
        } else {
          let origin = "\(table.file):\(value.place.line)"
          device.bindings.bind(name, to: value.cellText, from: origin)
        }
      }
      return device
    }
  }

  // MARK: Plans

  private mutating func listed(
    _ named: [BatchFile.NamedDevice], of node: Node, _ template: BatchTemplate
  ) -> Batch.Devices? {
    guard named.count <= limits.devices else {
      complain(node, Problem("there are more than \(limits.devices) devices"))
      return nil
    }
    if named.isEmpty, problems.isEmpty {
      complain(node, Problem("there are no devices", expected: "at least one"))
    }
    complainOfTwins(named)
    var devices: [BatchDevice] = []
    var wrong: [(device: BatchFile.NamedDevice, problems: [Problem])] = []
    for device in named {
      do {
        var made = try template.device(device.target, device.bindings, at: device.placement)
        if device.isUnique { made.plan.link.isUnique = true }
        if let choice = device.choice { made.plan.link.choice = choice }
        devices.append(made)
      } catch {
        wrong.append((device, error.problems))
      }
    }
    report(wrong, of: named.count)
    return problems.isEmpty ? .listed(devices) : nil
  }

  private mutating func complainOfTwins(_ named: [BatchFile.NamedDevice]) {
    var places: [String: Place] = [:]
    for device in named {
      if let first = places[device.target.text] {
        complain(device.node, Problem("duplicate device \(device.target), first at \(first)"))
      } else {
        places[device.target.text] = device.node.place
      }
    }
  }

  /// Reports an error that all devices share only once, because it is in the chain. Other errors
  /// are reported at the position of their device.
  private mutating func report(
    _ wrong: [(device: BatchFile.NamedDevice, problems: [Problem])], of all: Int
  ) {
    guard let first = wrong.first else { return }
    let isOfAll = { (problem: Problem) in
      wrong.count == all && (all > 1 || first.device.bindings.all.isEmpty)
        && wrong.allSatisfy { $0.problems.contains(problem) }
    }
    let common = first.problems.filter(isOfAll)
    problems += common
    let single = wrong.filter { !$0.problems.allSatisfy { common.contains($0) } }
    for (device, found) in single.prefix(limits.reportedDevices) {
      for problem in found where !common.contains(problem) {
        var inner = problem
        (inner.expected, inner.nearest) = (nil, nil)
        let outer = Problem("\(inner)", expected: problem.expected, nearest: problem.nearest)
        problems.append(outer.at(device.node))
      }
    }
    if let (device, _) = single.dropFirst(limits.reportedDevices).first {
      let more = single.count - limits.reportedDevices
      let count = "\(more) more \(more == 1 ? "device has" : "devices have")"
      complain(device.node, Problem("\(count) invalid values"))
    }
  }
}
