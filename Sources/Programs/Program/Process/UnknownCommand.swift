// A misspelt command, or an option of other programs, where the parser would report an argument, suggest
// another option, or print help about something else.

import ArgumentParser
import Spelling

/// Words of other programs for what commands do here.
private let foreignWords = [
  "connect": "run", "devices": "scan", "discover": "scan", "info": "inspect", "list": "scan",
  "listen": "watch", "monitor": "watch", "notify": "watch", "services": "inspect",
  "subscribe": "watch", "test": "run", "validate": "check",
]

/// Options of other programs, and what they are here. The parser suggests the nearest spelling: --set for
/// --json.
private let foreignOptions: KeyValuePairs = [
  "--address": "-d", "--json": "--output json", "--mac": "-d", "--name": "-d",
  "--sim": "--simulate",
]

extension ParsableCommand {
  /// The message about an option of other programs, in place of the parser's; nil for others, and where the
  /// command does not have what is meant.
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

  /// Whether a message of the parser is about an option that it does not know.
  private static func isAbout(_ option: some StringProtocol, _ message: String) -> Bool {
    message.hasPrefix("Error: Unknown option '\(option)'")
  }

  /// The message about a word in the place of a command that names none; nil where all are known.
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
