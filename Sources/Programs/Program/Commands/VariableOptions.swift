// The options for the variables of a chain.

import ArgumentParser
import Jobs

/// `--set NAME=VALUE`, which can be repeated.
struct VariableOptions: ParsableArguments {
  @Option(
    name: .customLong("set"),
    help: .value("name=value", "A value for a variable of the chain; repeat it for more.")
  )
  var set: [VariableArgument] = []

  /// The values; if a name is given twice, the last value wins.
  var bindings: Bindings {
    var bindings = Bindings()
    for argument in set {
      bindings.bind(argument.name, to: argument.value, from: "--set", mustBeKnown: true)
    }
    return bindings
  }
}

/// A name and its value on the command line.
struct VariableArgument: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "=") else { return nil }
    name = String(argument[..<sign])
    value = String(argument[argument.index(after: sign)...])
    guard VariablePath.isName(name) else { return nil }
  }
}
