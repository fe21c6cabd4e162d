// Messages about misspelt commands and about options of other programs.
//
// The parser would report an unexpected argument, suggest an unrelated option, or print another help text.

import ArgumentParser
import Spelling

/// Command names of other programs, and the commands of blerun that correspond.
private let foreignWords = [
  "connect": "run", "devices": "scan", "discover": "scan", "info": "inspect", "list": "scan",
  "listen": "watch", "monitor": "watch", "notify": "watch", "services": "inspect",
  "subscribe": "watch", "test": "run", "validate": "check",
]

/// Options of other programs, and the options of blerun that correspond. The parser would suggest the nearest
/// spelling: --set for --json.
private let foreignOptions: KeyValuePairs = [
  "--address": "-d", "--json": "--output json", "--mac": "-d", "--name": "-d",
  "--sim": "--simulate",
]

extension ParsableCommand {
  /// The message about an option of another program, in place of the parser's; nil for other options, and if the
  /// command has no corresponding one.
  static func foreignOption(insteadOf message: String, in arguments: [String]) -> String? {
    guard
      let (foreign, own) = foreignOptions.first(where: { isAbout($0.key, message) }),
      let option = own.split(separator: " ").first
    else { return nil }
    let meant = arguments.map { $0.prefix { $0 != "=" } == foreign ? String(option) : $0 }
    let other = Result { try parseAsRoot(meant) }
    if case .failure(let error) = other, isAbout(option, fullMessage(for: error)) { return nil }
    return "Unknown option '\(foreign)' (did you mean '\(own)'?)"
  }

  /// Whether a message of the parser reports this option as unknown.
  private static func isAbout(_ option: some StringProtocol, _ message: String) -> Bool {
    message.hasPrefix("Error: Unknown option '\(option)'")
  }

  /// The message about a word that is not a command; nil if all are known.
  static func unknownCommand(in arguments: ArraySlice<String>, after path: String = "") -> String? {
    guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
    let rest = arguments.dropFirst()
    if word == "help" { return unknownCommand(in: rest, after: path) }
    let commands = configuration.subcommands
    if commands.isEmpty { return nil }
    var known: [String] = []
    for command in commands {
      guard let name = command.configuration.commandName else { continue }
      if name == word { return command.unknownCommand(in: rest, after: path + name + " ") }
      known.append(name)
    }
    let nearest =
      foreignWords[word].flatMap { known.contains($0) ? $0 : nil }
      ?? Spelling.nearest(to: word, among: known)
    let expected = "expected one of " + known.joined(separator: ", ")
    let aside = nearest.map { "did you mean '\($0)'?" } ?? expected
    return "unknown command '\(path)\(word)' (\(aside))"
  }
}
