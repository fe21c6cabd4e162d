// Values in a table beside a device file: those of a series, and rows for machines.

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

  /// The values of a series in a table, and when they come.
  mutating func recorded(
    _ csv: Node, parts: Node, time: Node?
  ) -> (values: [[UInt8]], times: [Duration]) {
    guard let table = table(csv) else { return ([], []) }
    let rows = rows(of: table, parts)
    let times = time.flatMap { column($0, of: table) }.map { self.times($0) } ?? []
    return (rows, times)
  }

  /// The table of a file below the folder of this one.
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

  /// The text of a file that a node names; nil after a complaint.
  mutating func text(of path: String, _ node: Node) -> String? {
    do throws(DocumentErrors) {
      return try TextFile.read(path)
    } catch {
      problems += error.problems.map { node.problem("\(path): \($0.message)") }
      return nil
    }
  }

  /// One value for each row, as `parts` has it.
  mutating func rows(of table: CSVTable, _ parts: Node) -> [[UInt8]] {
    let nodes = parts.sequence ?? [parts]
    var rows = table.rows.map { _ in [UInt8]() }
    for node in nodes {
      let entry = node.mapping.flatMap { $0.count == 1 ? $0.first : nil }
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

  /// Seconds, or durations with their units, that rise.
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
