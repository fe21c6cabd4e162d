// What is printed beside the data: the options of every command that meets devices.

import ArgumentParser

/// Colours, and how much goes to standard error.
struct TerminalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Colours in text: auto (on a terminal, unless NO_COLOR is set), always or never.",
      valueName: "when"
    )
  )
  var color: Presentation.Color = .auto

  @Flag(name: .shortAndLong, help: "Print nothing but data and failures.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print what BlueZ is asked and what it answers.")
  var verbose = false

  func validate() throws {
    if quiet, verbose { throw ValidationError("Give --quiet or --verbose, not both.") }
  }

  /// What the options ask for.
  var presentation: Presentation {
    Presentation(isQuiet: quiet, isVerbose: verbose, color: color)
  }
}

/// A command whose options decide what is printed beside the data.
protocol WorldCommand: ParsableCommand {
  var options: WorldOptions { get }
}
