// Series of values of a device file: written there, or in a table beside it.

import Bluetooth
import Documents
import Spelling

extension DeviceReader {
  mutating func series(_ node: Node) -> Series {
    var keys = MappingReader(node)
    let values = keys.optional("values")
    let csv = keys.optional("csv")
    let parts = keys.optional("parts")
    let time = keys.optional("time")
    let every = period(&keys, "every")
    var series = Series(values: [], every: every, repeats: truth(&keys, "repeats") ?? true)
    let before = problems.count
    switch (values, csv) {
    case (let values?, nil):
      series.values = written(values)
      for (key, node) in [("parts", parts), ("time", time)] {
        if let node { problems.append(node.problem("'\(key)' is for a series from 'csv'")) }
      }
    case (nil, let csv?):
      if let time, every != nil {
        problems.append(time.problem("'time' and 'every' exclude each other"))
      }
      (series.values, series.times) = recorded(csv, parts: parts, time: time, in: node)
    case (let values?, .some):
      problems.append(values.problem("'values' and 'csv' exclude each other"))
    case (nil, nil):
      if node.mapping != nil {
        problems.append(
          node.problem("the key 'values' is missing", expected: "a list of values, or 'csv'")
        )
      }
    }
    let isTimed = every != nil || time != nil
    series.beginsAtOnce = beginsAtOnce(&keys, isTimed: isTimed)
    problems += keys.finish()
    if problems.count > before { series.times = [] }
    return series
  }

  private mutating func written(_ node: Node) -> [[UInt8]] {
    let nodes = list(node, "values", atMost: FileLimits.values)
    if node.isNull || node.sequence?.isEmpty == true {
      problems.append(node.problem("a series has at least one value"))
    }
    return nodes.compactMap { octets($0) }
  }

  // MARK: From a table

  private mutating func recorded(
    _ csv: Node,
    parts: Node?,
    time: Node?,
    in node: Node
  ) -> (values: [[UInt8]], times: [Duration]) {
    guard let parts else {
      problems.append(
        node.problem("the key 'parts' is missing", expected: "[{ u8: { column: bpm } }]")
      )
      return ([], [])
    }
    guard let table = table(csv) else { return ([], []) }
    let rows = rows(of: table, parts)
    let times = time.flatMap { column($0, of: table) }.map { self.times($0) } ?? []
    return (rows, times)
  }

  /// The table of a file; its name counts from the folder of this one.
  mutating func table(_ node: Node) -> CSVTable? {
    guard let name = node.text else {
      problems.append(node.problem("\(node.kind) stands here", expected: "the name of a file"))
      return nil
    }
    let path = TextFile.path(name, beside: node.place.file)
    let text: String
    do throws(DocumentErrors) {
      text = try TextFile.read(path)
    } catch {
      problems += error.problems.map { node.problem("\(path): \($0.message)") }
      return nil
    }
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
      var keys = MappingReader(entry.value)
      let name = keys.required("column", expected: "the name of a column")
      problems += keys.finish()
      guard let cells = name.flatMap({ column($0, of: table) }) else { continue }
      for (index, cell) in cells.enumerated() { rows[index] += fixed(cell, entry.key) ?? [] }
    }
    if let long = rows.firstIndex(where: { $0.count > FileLimits.octets }) {
      problems.append(
        table.rows[long][0].problem("the value is longer than \(FileLimits.octets) octets")
      )
    }
    return rows
  }

  private mutating func column(_ node: Node, of table: CSVTable) -> [Node]? {
    if let cells = node.text.flatMap({ table.column($0) }) { return cells }
    problems.append(
      node.problem(
        "\(shown(node)) is no column of \(table.file)",
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
        problems.append(
          cell.problem("\(shown(cell)) stands here", expected: "seconds, or a duration, up to 24h")
        )
        return []
      }
      if let last = times.last, time - last < FileLimits.period.lowerBound {
        problems.append(
          cell.problem("\(shown(cell)) stands here", expected: "a later time than above, by 1ms")
        )
        return []
      }
      times.append(time)
    }
    return times
  }
}
