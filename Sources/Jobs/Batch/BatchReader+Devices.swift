// The devices of a batch: listed, in a table, or found by a scan.

import Bluetooth
import Documents

extension BatchReader {
  static let devicesShape = "a list of devices, { csv: FILE, address: COLUMN }, or { scan: … }"

  /// A named device, before it has a plan.
  private struct Named {
    let node: Node
    let target: DeviceTarget
    var isUnique = false
    var bindings = Bindings()
    var placement = Placement()
  }

  mutating func devices(_ node: Node, _ template: BatchTemplate) -> Batch.Devices? {
    if let nodes = node.sequence {
      return listed(nodes.compactMap { listed($0) }, of: node, template)
    }
    guard node.mapping != nil else {
      complain(node, Complaint(found: node.shown, expected: Self.devicesShape))
      return nil
    }
    if let scan: Node = node.entry("scan") { return scanned(node, scan, template) }
    return table(node).flatMap { listed($0, of: node, template) }
  }

  // MARK: One by one

  /// `Thermo-1`, or `{ address: …, with: { level: 5 } }`.
  private mutating func listed(_ node: Node) -> Named? {
    if let text = node.text {
      do {
        return named(try DeviceTarget(parsing: text), node)
      } catch {
        complain(node, Complaint("\(error)"))
        return nil
      }
    }
    guard node.mapping?.isEmpty == false else {
      let expected = "an address, a name, or \(DeviceKeys.expected)"
      complain(node, Complaint(found: node.shown, expected: expected))
      return nil
    }
    var reader = MappingReader(node)
    var steps = StepReader(limits: limits.plan, names: names)
    let keys = DeviceKeys.take(from: &reader, &steps)
    let own = reader.optional("with")
    let placement = placement(&reader)
    let wrong = reader.finish() + steps.problems
    problems += wrong
    guard let keys, let target = keys.target else {
      if wrong.isEmpty {
        complain(node, Complaint("no device is named", expected: DeviceKeys.expected))
      }
      return nil
    }
    var named = named(target, node)
    named?.bindings = own.map { bindings($0) } ?? Bindings()
    named?.placement = placement
    named?.isUnique = keys.isUnique
    return named
  }

  /// One certain device, not any device.
  private mutating func named(_ target: DeviceTarget, _ node: Node) -> Named? {
    if target != .any { return Named(node: node, target: target) }
    complain(node, Complaint("'*' matches any device", expected: "{ scan: … } instead of the list"))
    return nil
  }

  // MARK: A table

  /// `{ csv: devices.csv, address: mac }`: one device for each row; the columns are variables.
  private mutating func table(_ node: Node) -> [Named]? {
    var reader = MappingReader(node)
    let file = reader.required("csv", expected: "the path of a table")
    func column(_ key: String) -> String? {
      reader.optional(key, expected: "the name of a column") { $0.text }
    }
    let columns = DeviceColumn.allCases.compactMap { kind in
      column(kind.rawValue).map { (kind, $0) }
    }
    let placing = Placement.keys.map(\.name).compactMap { key in column(key).map { (key, $0) } }
    let wrong = reader.finish()
    problems += wrong
    guard wrong.isEmpty, let file else { return nil }
    guard let (kind, column) = columns.first, columns.count == 1 else {
      let expected = "one of address, name and alias, with the name of its column"
      complain(node, Complaint("a device is named in one way", expected: expected))
      return nil
    }
    let shape = "the path of a table below the folder of the batch"
    guard let path = below(file, shape: shape) else { return nil }
    let table: CSVTable
    do throws(DocumentErrors) {
      let bounds = DocumentLimits(octets: 1 << 24, nodes: 64 * limits.devices)
      let text = try TextFile.read(path, limit: bounds.octets)
      table = try CSVTable.parse(text, file: path, limits: bounds)
    } catch {
      problems += error.problems
      return nil
    }
    let found = indexes([(kind.rawValue, column)] + placing, of: table, node)
    guard let index = found[kind.rawValue], found.count == placing.count + 1 else { return nil }
    return table.rows.compactMap { cells in
      guard var named = row(cells, of: table, kind, index) else { return nil }
      named.placement = Placement(
        pin: gateway(found["pin"].map { cells[$0] }),
        prefer: gateway(found["prefer"].map { cells[$0] })
      )
      return named
    }
  }

  /// Where the columns are that keys name; what is missing is a problem.
  private mutating func indexes(
    _ columns: [(key: String, column: String)],
    of table: CSVTable,
    _ node: Node
  ) -> [String: Int] {
    var indexes: [String: Int] = [:]
    for (key, column) in columns {
      indexes[key] = table.columns.firstIndex(of: column)
      guard indexes[key] == nil else { continue }
      let message = "unknown column '\(column)' in \(table.file)"
      complain(node.entry(key) ?? node, .unknown(message, column, among: table.columns))
    }
    return indexes
  }

  /// The gateway in a cell; nil for an empty one.
  private mutating func gateway(_ cell: Node?) -> String? {
    guard let cell, !cell.cellText.isEmpty else { return nil }
    if MemberName.isValid(cell.cellText) { return cell.cellText }
    complain(cell, Complaint(found: "'\(cell.cellText)'", expected: Placement.gatewayShape))
    return nil
  }

  private mutating func row(
    _ row: [Node],
    of table: CSVTable,
    _ kind: DeviceColumn,
    _ index: Int
  ) -> Named? {
    let cell = row[index]
    guard let target = cell.cellText.isEmpty ? nil : kind.target(cell.cellText) else {
      let found = cell.cellText.isEmpty ? "an empty cell" : "'\(cell.cellText)'"
      complain(cell, Complaint(found: found, expected: kind.takes))
      return nil
    }
    var named = named(target, cell)
    for (name, value) in zip(table.columns, row) {
      if value.cellText.isEmpty {
        named?.bindings.leave(name)
      } else {
        let origin = "\(table.file):\(value.place.line)"
        named?.bindings.bind(name, to: value.cellText, from: origin)
      }
    }
    return named
  }

  // MARK: Plans

  private mutating func listed(
    _ named: [Named],
    of node: Node,
    _ template: BatchTemplate
  ) -> Batch.Devices? {
    guard named.count <= limits.devices else {
      complain(node, Complaint("there are more than \(limits.devices) devices"))
      return nil
    }
    if named.isEmpty, problems.isEmpty {
      complain(node, Complaint("there are no devices", expected: "at least one"))
    }
    complainOfTwins(named)
    var devices: [BatchDevice] = []
    var wrong: [(device: Named, problems: [DocumentProblem])] = []
    for device in named {
      do {
        var made = try template.device(device.target, device.bindings, at: device.placement)
        if device.isUnique { made.plan.link.isUnique = true }
        devices.append(made)
      } catch {
        wrong.append((device, error.problems))
      }
    }
    report(wrong, of: named.count)
    return problems.isEmpty ? .listed(devices) : nil
  }

  private mutating func complainOfTwins(_ named: [Named]) {
    var places: [String: Place] = [:]
    for device in named {
      if let first = places[device.target.text] {
        let message = "duplicate device \(device.target), first at \(first)"
        complain(device.node, Complaint(message))
      } else {
        places[device.target.text] = device.node.place
      }
    }
  }

  /// Reports errors once that all devices have: they are errors in the chain. Other errors are
  /// reported at the position of the device.
  private mutating func report(_ wrong: [(device: Named, problems: [DocumentProblem])], of all: Int)
  {
    guard let first = wrong.first else { return }
    let isOfAll = { (problem: DocumentProblem) in
      wrong.count == all && (all > 1 || first.device.bindings.all.isEmpty)
        && wrong.allSatisfy { $0.problems.contains(problem) }
    }
    let common = first.problems.filter(isOfAll)
    problems += common
    let single = wrong.filter { !$0.problems.allSatisfy { common.contains($0) } }
    for (device, found) in single.prefix(limits.complaints) {
      for problem in found where !common.contains(problem) {
        let path = problem.path.isEmpty ? "" : "\(problem.path): "
        problems.append(
          DocumentProblem(
            device.node.place,
            path: device.node.path,
            "\(problem.place): \(path)\(problem.message)",
            expected: problem.expected,
            nearest: problem.nearest
          )
        )
      }
    }
    if let (device, _) = single.dropFirst(limits.complaints).first {
      let more = single.count - limits.complaints
      let count = "\(more) more \(more == 1 ? "device has" : "devices have")"
      complain(device.node, Complaint("\(count) invalid values"))
    }
  }

  // MARK: A scan

  /// `{ scan: 10s, name: "Thermo*", at-least: 3 }`: the keys of a scan in a chain.
  private mutating func scanned(
    _ node: Node,
    _ scan: Node,
    _ template: BatchTemplate
  ) -> Batch.Devices? {
    var reader = MappingReader(node)
    var steps = StepReader(limits: limits.plan, names: names)
    let scanning = Scanning.take(from: &reader, &steps)
    let bound = limits.devices
    let count = Shape.integer("a number of devices", "devices") { _ in 1...bound }
    let least = reader.optional("at-least").flatMap { steps.read($0, count) }
    let most = reader.optional("at-most").flatMap { steps.read($0, count) }
    let wrong = reader.finish() + steps.problems
    problems += wrong
    guard let scanning, wrong.isEmpty else { return nil }
    if let least, let most, most < least {
      complain(node, Complaint("at-most is below at-least"))
      return nil
    }
    do {
      return .scanned(
        try BatchScan(scanning, least: least ?? 1, most: most ?? bound, template)
      )
    } catch {
      problems += error.problems
      return nil
    }
  }
}

/// How the column of a table selects devices.
private enum DeviceColumn: String, CaseIterable {
  case address, name, alias

  /// What is valid in its cells.
  var takes: String {
    switch self {
    case .address: Scanning.addressShape
    case .name, .alias: Scanning.nameShape
    }
  }

  /// The device that a cell names; nil for an invalid cell.
  func target(_ text: String) -> DeviceTarget? {
    switch self {
    case .address: BluetoothAddress(text).map { .address($0) }
    case .name: .name(text)
    case .alias: .alias(text)
    }
  }
}
