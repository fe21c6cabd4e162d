// The options for suites of nRF Connect.

import ArgumentParser
import Bluetooth
import Documents
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
  static func joined(_ arguments: [String]) -> [String] {
    var joined: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument == "-E", let key = rest.first, !key.contains("="), rest.count > 1 else {
        joined.append(argument)
        continue
      }
      rest = rest.dropFirst()
      joined.append("--variable=\(key)=\(rest.removeFirst())")
    }
    return joined
  }

  func suite(at path: String, _ names: AttributeNames) throws(CommandExit) -> Suite {
    do {
      return try Suite.load(path: path, variables: pairs, names: names)
    } catch {
      throw CommandExit(error)
    }
  }
}
