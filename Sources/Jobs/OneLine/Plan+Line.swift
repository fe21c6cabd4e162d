// Chains on one line.

public import Documents

extension Plan {
  /// Reads a chain from one line: `read battery-level as b; sleep 1s; log "{b} percent"`.
  ///
  /// Steps within a step stand in braces of their own, with blanks around: `repeat 3 { rssi }`.
  /// Line ends count as `;`. Quotes are as in a shell: nothing is special between single ones, and
  /// only `\"` and `\\` between double ones.
  ///
  /// - Parameters:
  ///   - file: What the line is called in complaints.
  ///   - bindings: Values for what stands in braces: `read {target}`.
  ///   - limits: How much the chain may ask for.
  ///   - includesFiles: Whether `include` reads files: those below the folder of `file`, which is
  ///     the working directory where that has none. Without it nothing is read.
  /// - Throws: `DocumentErrors` with a complaint about each step that is wrong, with its column.
  public static func parse(
    line: String,
    file: String = "-e",
    with bindings: Bindings = Bindings(),
    limits: PlanLimits = PlanLimits(),
    includesFiles: Bool = false
  ) throws(DocumentErrors) -> Plan {
    let start = Place(file: file, line: 1, column: 1)
    guard line.utf8.count <= limits.document.octets else {
      let complaint = Complaint("the line is longer than \(limits.document.octets) bytes")
      throw DocumentErrors([complaint.at(start)])
    }
    var filling = LineFilling(bindings)
    let words = try LineWords.steps(of: line, file: file).map { $0.map { filling.filled($0) } }
    var surroundings = IncludedSurroundings(
      inclusions: includesFiles ? .load(words.includedNames, in: file, limits) : .none(limits)
    )
    surroundings.captured = words.capturedNames + surroundings.inclusions.names(under: "as")
    for binding in bindings.all {
      surroundings.table.set(binding.name, to: VariableTable.value(binding.text, nil))
    }
    var reader = StepReader(limits: limits, surroundings)
    reader.form = .line
    reader.scope.variables = bindings.all.map(\.name)
    var steps: [Step] = []
    var problems = filling.unknown(at: start) { surroundings.inclusions.mention($0) }
    for words in words {
      do {
        var lowering = LineLowering(words, limits)
        steps += reader.steps(at: try lowering.step())
      } catch {
        reader.problems += error.problems
        for (word, name) in zip(words, words.dropFirst()) where word.isPlain("as") {
          reader.scope.capture(name.text, fields: nil)
        }
      }
    }
    problems += reader.problems
    let plan = Plan(steps: steps)
    if words.isEmpty {
      let complaint = Complaint("there are no steps", expected: "a step such as read battery-level")
      problems.append(complaint.at(start))
    } else if problems.isEmpty, let complaint = limits.complaint(about: plan) {
      problems.append(complaint.at(start))
    }
    guard problems.isEmpty else { throw DocumentErrors(problems) }
    return plan
  }
}

/// What is wrong with a step, and where.
struct LineError: Error {
  let problems: [DocumentProblem]

  init(_ complaint: Complaint, at place: Place) {
    problems = [complaint.at(place)]
  }
}
