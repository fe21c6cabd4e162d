// The options for suites of nRF Connect.

import ArgumentParser
import Bluetooth
import Documents
import Jobs
import NordicSuites

/// The variables of a suite.
struct SuiteOptions: ParsableArguments {
  @Option(
    name: [.customShort("E"), .customLong("variable")],
    help: .value(
      "key=value",
      "A variable of an nRF Connect suite: -E KEY VALUE, or KEY=VALUE. Repeat it for more."
    )
  )
  var variables: [String] = []

  func validate() throws {
    for variable in variables where variable.first == "=" || !variable.contains("=") {
      throw ValidationError("-E takes a key and a value: -E ADDRESS C0:FF:EE:00:00:01")
    }
  }

  var pairs: [(name: String, value: String)] {
    variables.compactMap { variable in
      guard let equals = variable.firstIndex(of: "=") else { return nil }
      return (String(variable[..<equals]), String(variable[variable.index(after: equals)...]))
    }
  }

  /// Returns the arguments with each `-E KEY VALUE`, as nRF Connect writes it, joined into one word.
  ///
  /// An option after the key is not its value, which is missing then.
  static func joined(_ arguments: [String]) -> [String] {
    var joined: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument == "-E", let key = rest.first, !key.contains("="), rest.count > 1,
        !isOption(rest[rest.startIndex + 1])
      else {
        joined.append(argument)
        continue
      }
      rest = rest.dropFirst()
      joined.append("--variable=\(key)=\(rest.removeFirst())")
    }
    return joined
  }

  /// Whether an argument is an option rather than a value such as `-50`.
  private static func isOption(_ argument: String) -> Bool {
    argument.hasPrefix("--") || argument.wholeMatch(of: /-[A-Za-z]/) != nil
  }

  func suite(at path: String, _ names: AttributeNames) throws(CommandExit) -> Suite {
    let suite: Suite
    do {
      suite = try Suite.load(path: path, variables: pairs, names: names)
    } catch {
      throw CommandExit(error)
    }
    let problems = unused(by: suite.variables, in: path)
    guard problems.isEmpty else { throw CommandExit(.data, problems) }
    return suite
  }

  /// Returns a problem for each variable that is given but not used.
  ///
  /// - Parameters:
  ///   - known: The variables that are used.
  ///   - file: The only suite; nil for none or several.
  func unused(by known: [String], in file: String?) -> [Problem] {
    pairs.filter { !known.contains($0.name) }.map { name, _ in
      let message = "unknown variable '\(name)', given by -E"
      let problem =
        known.isEmpty
        ? Problem(message, expected: "${\(name)} in a suite")
        : Problem.unknown(message, name, among: known)
      return problem.at(file.map { Place(file: $0) })
    }
  }

  /// Checks that there are no variables, for a chain.
  func checkUnused() throws(CommandExit) {
    guard let name = pairs.first?.name else { return }
    throw CommandExit(
      .usage, "-E \(name) is for nRF Connect suites; a chain has --set \(name)=…"
    )
  }
}
