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
  /// - Throws: `DocumentErrors` with a complaint about each step that is wrong, with its column.
  public static func parse(
    line: String,
    file: String = "-e",
    with bindings: Bindings = Bindings(),
    limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) -> Plan {
    let start = Place(file: file, line: 1, column: 1)
    guard line.utf8.count <= limits.document.octets else {
      let complaint = Complaint("the line is longer than \(limits.document.octets) octets")
      throw DocumentErrors([complaint.at(start)])
    }
    var scope = Scope()
    scope.variables = bindings.all.map(\.name)
    var filling = LineFilling(bindings)
    let words = try LineWords.steps(of: line, file: file).map { $0.map { filling.filled($0) } }
    var steps: [Step] = []
    var problems = filling.unknown(at: start)
    for words in words {
      var reader = LineStepReader(words, scope: scope, limits: limits)
      do {
        steps.append(try reader.captured())
        scope = reader.scope
      } catch {
        problems.append(error.problem)
        for (word, name) in zip(words, words.dropFirst()) where word.isPlain("as") {
          scope.capture(name.text, fields: nil)
        }
      }
    }
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

/// A complaint and where it belongs.
struct LineError: Error {
  let problem: DocumentProblem

  init(_ complaint: Complaint, at place: Place) {
    problem = complaint.at(place)
  }
}
