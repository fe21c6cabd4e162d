// Parses chains in the one-line form.

public import Bluetooth
public import Documents
import RunEvents

extension Plan {
  /// The name of the one-line form in errors, instead of a file.
  package static let lineName = "-e"

  /// Parses a chain in the one-line form: `read battery-level as b; sleep 1s; log "{b} percent"`.
  ///
  /// Inner steps are in braces, surrounded by spaces: `repeat 3 { rssi }`. `;` or a newline
  /// separates steps. Quotes work as in a shell: single quotes keep everything, and double quotes
  /// everything except `\"` and `\\`.
  ///
  /// ```swift
  /// let line = "read battery-level as b; log \"{b.percent} percent\""
  /// print(try Plan.parse(line: line))
  /// ```
  ///
  /// - Parameters:
  ///   - line: The steps.
  ///   - file: The name of the line in error messages.
  ///   - bindings: Values for names in braces: `read {target}`.
  ///   - names: Names for UUIDs.
  ///   - limits: The limits of the chain.
  ///   - includesFiles: Whether `include` reads files below the folder of `file`, or of the working
  ///     directory if `file` has none. Otherwise no files are read.
  /// - Throws: `DocumentErrors` with the errors in each step, with their columns.
  public static func parse(
    line: String, file: String = "-e", with bindings: Bindings = Bindings(),
    names: AttributeNames = .assigned, limits: PlanLimits = PlanLimits(),
    includesFiles: Bool = false
  ) throws(DocumentErrors) -> Plan {
    do {
      return try read(line, file, bindings, names, limits, includesFiles: includesFiles)
    } catch {
      throw DocumentErrors(error.problems.map { $0.quoting(line, of: file) })
    }
  }

  private static func read(
    _ line: String, _ file: String, _ bindings: Bindings, _ names: AttributeNames,
    _ limits: PlanLimits, includesFiles: Bool
  ) throws(DocumentErrors) -> Plan {
    let start = Place(file: file, line: 1, column: 1)
    guard line.utf8.count <= limits.document.octets else {
      let problem = Problem("the line is longer than \(limits.document.octets) bytes")
      throw DocumentErrors([problem.at(start)])
    }
    var filling = LineFilling(bindings)
    let words = try LineWords.steps(of: line, file: file).map { $0.map { filling.filled($0) } }
    var includeContext = IncludeContext(
      inclusions: includesFiles ? .load(words.includedNames, in: file, limits) : .none(limits),
      names: names
    )
    includeContext.captured = words.capturedNames + includeContext.inclusions.names(under: "as")
    for binding in bindings.all {
      includeContext.table.set(binding.name, to: VariableTable.value(binding.text, nil))
    }
    var reader = StepReader(limits: limits, includeContext)
    reader.form = .line
    reader.text = line
    reader.scope.variables = bindings.all.map(\.name)
    var steps: [Step] = []
    var problems = filling.unknown(at: start) { includeContext.inclusions.mention($0) }
    for words in words {
      do {
        var lowering = LineLowering(words, limits)
        steps += reader.steps(at: try lowering.step())
      } catch {
        reader.problems.append(error)
        for (word, name) in zip(words, words.dropFirst()) where word.isPlain("as") {
          reader.scope.capture(name.text, fields: nil, nil)
        }
      }
    }
    problems += reader.problems
    var plan = Plan(steps: steps)
    plan.names = reader.includeContext.allNames
    if words.isEmpty {
      let problem = Problem("there are no steps", expected: "a step such as read battery-level")
      problems.append(problem.at(start))
    } else if problems.isEmpty, let problem = limits.problem(about: plan) {
      problems.append(problem.at(start))
    }
    guard problems.isEmpty else { throw DocumentErrors(problems) }
    return plan
  }
}

extension Problem {
  /// Returns the problem with its line of a one-line text; unchanged if its place is elsewhere.
  package func quoting(_ text: String?, of file: String = Plan.lineName) -> Problem {
    guard let text, let place, place.file == file else { return self }
    var quoting = self
    quoting.line = LineExcerpt.line(at: place, of: text)
    return quoting
  }
}
