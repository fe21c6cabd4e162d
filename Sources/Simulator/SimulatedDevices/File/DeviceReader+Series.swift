// Values from a CSV file beside a device file: those of a series, and the rows of a machine's
// table.

import Bluetooth
import Documents
import Spelling

extension DeviceReader {
  static let fileName = Schema(["type": "string"])
  static let partsExample = "[{ u8: { column: bpm } }]"

  // MARK: Columns

  static let columnForm = DeviceForm<Node?>(
    "The cell of a column.",
    nil,
    [
      DeviceKey(
        "column", \.self, .later("the name of a column", Schema(["type": "string"])),
        isRequired: true, "the name of the column"
      )
    ]
  )

  // MARK: From a table

  /// Reads the values of a series from a CSV file, with their times.
  mutating func recorded(
    _ csv: Node, parts: Node, time: Node?
  ) -> (values: [[UInt8]], times: [Duration]) {
    guard let table = table(csv) else { return ([], []) }
    let rows = rows(of: table, parts)
    let times = time.flatMap { column($0, of: table) }.map { self.times($0) } ?? []
    return (rows, times)
  }

  /// Reads a CSV file in the folder of the device file, or below it.
  mutating func table(_ node: Node) -> CSVTable? {
    guard let name = node.text else {
      problems.append(node.problem(expected: "the name of a file"))
      return nil
    }
    let path = TextFile.path(name, beside: node.place.file)
    do throws(Problem) {
      _ = try FolderOfFile(node.place.file).realPath(of: path, owner: "the device file")
    } catch {
      problems.append(node.problem("\(path): \(error.message)"))
      return nil
    }
    guard let text = text(of: path, node) else { return nil }
    do throws(DocumentErrors) {
      let table = try CSVTable.parse(text, file: path)
      guard !table.rows.isEmpty else {
        problems.append(node.problem("the table '\(name)' has no rows"))
        return nil
      }
      guard table.rows.count <= FileLimits.values else {
        problems.append(node.problem("the table has more than \(FileLimits.values) rows"))
        return nil
      }
      return table
    } catch {
      problems += error.problems
      return nil
    }
  }

  /// Reads the text of a file that a node names; nil after a reported problem.
  mutating func text(of path: String, _ node: Node) -> String? {
    do throws(DocumentErrors) {
      return try TextFile.read(path)
    } catch {
      problems += error.problems.map { node.problem("\(path): \($0.message)") }
      return nil
    }
  }

  /// One value for each row; its parts are those of `parts`.
  mutating func rows(of table: CSVTable, _ parts: Node) -> [[UInt8]] {
    let nodes = parts.sequence ?? [parts]
    var rows = table.rows.map { _ in [UInt8]() }
    for node in nodes {
      let entry = node.mapping.flatMap { $0.count == 1 ? $0.first : nil }
      if let entry, let description = description(entry.key) {
        guard let values = self.rows(of: table, entry.value, description) else { continue }
        for (index, octets) in values.enumerated() { rows[index] += octets }
        continue
      }
      guard let entry, entry.value.mapping != nil, Self.formats.contains(entry.key) else {
        let fixed = octets(node) ?? []
        for index in rows.indices { rows[index] += fixed }
        continue
      }
      let name = Self.columnForm.read(entry.value, &self)
      guard let cells = name.flatMap({ column($0, of: table) }) else { continue }
      for (index, cell) in cells.enumerated() { rows[index] += fixed(cell, entry.key) ?? [] }
    }
    _ = zip(rows, table.rows).allSatisfy { row, cells in isShort(row.count, cells[0]) }
    return rows
  }

  /// The described value of each row, whose fields may be columns; nil after a complaint.
  private mutating func rows(
    of table: CSVTable, _ node: Node, _ description: ValueDescription
  ) -> [[UInt8]]? {
    var columns: [String: [Node]] = [:]
    for name in Self.columns(in: node) {
      guard let cells = column(name, of: table), let text = name.text else { return nil }
      columns[text] = cells
    }
    var rows: [[UInt8]] = []
    for index in table.rows.indices {
      let value = Self.filled(node) { columns[$0]?[index] }
      guard let octets = fields(value, of: description) else { return nil }
      rows.append(octets)
    }
    return rows
  }

  /// The name of a column, if a node is `{ column: name }`.
  private static func column(_ node: Node) -> Node? {
    node.mapping?.count == 1 ? node.value(of: "column") : nil
  }

  /// The names of the columns in a value.
  private static func columns(in node: Node) -> [Node] {
    if let name = column(node) { return [name] }
    return switch node.content {
    case .scalar: []
    case .sequence(let nodes): nodes.flatMap { columns(in: $0) }
    case .mapping(let entries): entries.flatMap { columns(in: $0.value) }
    }
  }

  /// A value with the cells of its columns.
  private static func filled(_ node: Node, _ cell: (String) -> Node?) -> Node {
    if let name = column(node)?.text, let cell = cell(name) { return cell }
    switch node.content {
    case .scalar: return node
    case .sequence(let nodes):
      return Node(.sequence(nodes.map { filled($0, cell) }), at: node.place, path: node.path)
    case .mapping(let entries):
      let new = entries.map { entry in
        Node.Entry(key: entry.key, keyPlace: entry.keyPlace, value: filled(entry.value, cell))
      }
      return Node(.mapping(new), at: node.place, path: node.path)
    }
  }

  private mutating func column(_ node: Node, of table: CSVTable) -> [Node]? {
    if let cells = node.text.flatMap({ table.column($0) }) { return cells }
    problems.append(
      node.problem(
        unknown: "column", of: table.file,
        expected: "one of " + table.columns.joined(separator: ", "),
        nearest: node.text.flatMap { Spelling.nearest(to: $0, among: table.columns) }
      )
    )
    return nil
  }

  /// Reads ascending times, as seconds or as durations with units.
  private mutating func times(_ cells: [Node]) -> [Duration] {
    var times: [Duration] = []
    for cell in cells {
      let seconds = cell.number.flatMap { (0...86_400).contains($0) ? $0 : nil }
      let time = cell.duration ?? seconds.map { .microseconds(Int64(($0 * 1_000_000).rounded())) }
      guard let time, time <= .seconds(86_400) else {
        problems.append(cell.problem(expected: "seconds, or a duration, up to 24h"))
        return []
      }
      if let last = times.last, time - last < FileLimits.period.lowerBound {
        problems.append(cell.problem(expected: "a later time than above, by 1ms"))
        return []
      }
      times.append(time)
    }
    return times
  }
}
