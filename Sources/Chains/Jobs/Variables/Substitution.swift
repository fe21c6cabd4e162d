// Substitutes variables with their values in the document of a chain file.
//
// Captured values, which exist only while the chain runs, are substituted in Filling.swift.

import Bluetooth
import Documents

/// A substitution of `{name}` with its value in every scalar of a document.
///
/// It runs before the document is interpreted, so a variable may stand wherever a value may. It
/// runs only once, so a value never becomes a key, a list or another variable. References to
/// captured values are kept under the keys that accept them.
struct Substitution {
  private let table: VariableTable
  /// The names under which steps capture, to tell them from unknown variables.
  private let captured: [String]
  private let limit: Int
  private var size = 0
  private(set) var used: Set<String> = []
  private(set) var problems: [Problem] = []

  /// - Parameter limit: The maximum total length of all scalars with a brace, after substitution,
  ///   in bytes.
  init(_ table: VariableTable, captured: [String], limit: Int) {
    self.table = table
    self.captured = captured
    self.limit = limit
  }

  /// Returns the document with its variables substituted.
  ///
  /// - Parameter keys: Top-level keys to remove from the document.
  mutating func applied(to root: Node, leaving keys: [String]) -> Node {
    guard let entries = root.mapping else { return applied(to: root, under: []) }
    let rest = entries.filter { !keys.contains($0.key) }
    return applied(to: Node(.mapping(rest), at: root.place, path: root.path), under: [])
  }

  /// - Parameter keys: The keys above the node, outermost first. Whether they accept captured
  ///   values is looked up only for text with a brace, so chains without variables do not pay for
  ///   it.
  private mutating func applied(to node: Node, under keys: [String]) -> Node {
    switch node.content {
    case .scalar(let text, let isPlain):
      guard text.contains("{") else { return node }
      let mayUseCaptures = keys.reversed().contains(where: Step.mayUseCaptures)
      return scalar(text, isPlain: isPlain, node, mayUseCaptures: mayUseCaptures)
    case .sequence(let nodes):
      // A list under 'command' is a program, then its arguments.
      let rest = keys.last == CommandStep.verb ? keys + ["arguments"] : keys
      let new = nodes.enumerated().map { applied(to: $1, under: $0 == 0 ? keys : rest) }
      return Node(.sequence(new), at: node.place, path: node.path)
    case .mapping(let entries):
      let new = entries.map { entry in
        // Keys under 'with' are variable names, which may equal a key of a step.
        let key = keys.last == "with" ? "" : entry.key
        let value = applied(to: entry.value, under: keys + [key])
        return Node.Entry(key: entry.key, keyPlace: entry.keyPlace, value: value)
      }
      complainOfMissingQuotes(entries)
      return Node(.mapping(new), at: node.place, path: node.path)
    }
  }

  /// Reports `{ u8: {level} }`, which YAML reads as a mapping because the quotes are missing.
  private mutating func complainOfMissingQuotes(_ entries: [Node.Entry]) {
    guard let entry = entries.first, entries.count == 1, entry.value.isNull,
      table[entry.key] != nil || captured.contains(entry.key),
      Step.entry(entry.key) == nil
    else { return }
    let problem = Problem(found: "a mapping", expected: "a text in quotes: \"{\(entry.key)}\"")
    problems.append(problem.at(keyOf: entry))
  }

  private mutating func scalar(_ text: String, isPlain: Bool, _ node: Node, mayUseCaptures: Bool)
    -> Node
  {
    guard let template = MessageTemplate(text) else {
      // The parser of templates reports a better error.
      if mayUseCaptures { return node }
      let expected = "a variable in braces such as {level}, or {{ for a brace"
      problems.append(Problem(found: node.shown, expected: expected).at(node))
      return node
    }
    var isPlain = isPlain
    if let name = template.onlyVariable?.variable, let value = table[name] {
      isPlain = value.isPlain
    }
    var new = ""
    for part in template.parts {
      switch part {
      case .text(let text): new += mayUseCaptures ? MessageTemplate.escaped(text) : text
      case .value(let path):
        var value = mayUseCaptures ? "{\(path)}" : ""
        do throws(Problem) {
          value = try known(path, mayUseCaptures: mayUseCaptures) ?? value
        } catch {
          problems.append(error.at(node))
        }
        new +=
          mayUseCaptures && table[path.variable] != nil ? MessageTemplate.escaped(value) : value
      case .calculation(let calculation):
        do throws(Problem) {
          new += try calculated(calculation, mayUseCaptures: mayUseCaptures)
        } catch {
          problems.append(error.at(node))
        }
      }
    }
    let isCalculated =
      template.calculations.count == 1 && template.parts.allSatisfy { $0.isEmptyOrValue }
    if isCalculated, Literal.number(new) != nil { isPlain = true }
    size += new.utf8.count
    guard size <= limit else {
      if size - new.utf8.count <= limit {
        let message = "the values of the variables are longer than \(limit) bytes in total"
        problems.append(node.problem(message))
      }
      return node
    }
    return Node(.scalar(new, isPlain: isPlain), at: node.place, path: node.path)
  }

  /// A calculation with the values of its variables: the result, or the calculation in braces where captured
  /// values are in it.
  private mutating func calculated(
    _ calculation: Calculation, mayUseCaptures: Bool
  ) throws(Problem) -> String {
    for path in calculation.paths {
      _ = try known(path, mayUseCaptures: mayUseCaptures)
    }
    let filled = try calculation.replacing { table[$0] }
    guard let result = try filled.constant else { return "{\(filled)}" }
    return MessageTemplate.escaped(result)
  }

  /// The value of a variable; nil for a captured value.
  ///
  /// - Throws: `Problem` for a name that has no value here.
  private mutating func known(_ path: VariablePath, mayUseCaptures: Bool) throws(Problem) -> String?
  {
    let name = path.variable
    if let value = table[name] {
      used.insert(name)
      if path.field == nil, path.slice == nil { return value.text }
      let expected = "'\(name)' alone: it is not a captured value"
      throw Problem("'\(name)' has no fields and no bytes", expected: expected)
    }
    if captured.contains(name) {
      if mayUseCaptures { return nil }
      let expected = "a variable that is set before the chain runs"
      throw Problem("'\(name)' is captured while the chain runs", expected: expected)
    }
    if table.empty.contains(name) {
      let message = "the cell of '\(name)' is empty, and the chain has no default for it"
      throw Problem(message, expected: "a value in the table, or a default under 'variables'")
    }
    // The reader of steps reports it, and suggests captured names.
    if mayUseCaptures { return nil }
    let message = "unknown variable '\(name)'"
    if table.names.isEmpty {
      throw Problem(message, expected: "a declaration under 'variables'")
    }
    throw .unknown(message, name, among: table.names + captured)
  }
}

extension Calculation {
  /// The calculation with the values of variables.
  ///
  /// - Parameter variable: Returns the value of a variable; nil for a captured value.
  func replacing(_ variable: (String) -> VariableTable.Value?) throws(Problem) -> Calculation {
    for name in expression.names {
      // Texts in calculations have no escapes.
      if let text = variable(name.text)?.text, text.contains("\""), text.contains("'") {
        throw Problem(
          "'\(name.text)' has both kinds of quotes", expected: "one of them in a calculation"
        )
      }
    }
    return try Calculation(
      expression.replacing { name in
        variable(name.text).map {
          $0.isPlain && Literal.number($0.text) != nil ? $0.text : Self.quoted($0.text)
        }
      }
    )
  }

  /// A text as an expression has it.
  private static func quoted(_ text: String) -> String {
    let quote = text.contains("\"") ? "'" : "\""
    return quote + text + quote
  }

  /// The result as a text; nil where captured values are in it.
  var constant: String? {
    get throws(Problem) {
      guard paths.isEmpty else { return nil }
      do throws(ExpressionFailure) {
        return "\(try value { _ in nil })"
      } catch {
        throw Problem("\(error)")
      }
    }
  }
}
