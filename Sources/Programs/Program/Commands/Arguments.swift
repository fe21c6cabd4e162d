// Parsing of values on the command line: files, durations, ages, sizes, formats, capabilities.

public import ArgumentParser
public import Bluetooth
import Documents

extension ArgumentHelp {
  /// Returns the help of an option, with the name of its value.
  static func value(
    _ name: String, _ text: String, visibility: ArgumentVisibility = .default
  ) -> ArgumentHelp {
    ArgumentHelp(text, valueName: name, visibility: visibility)
  }

  /// Returns the help of an option whose value is a duration.
  static func time(_ text: String) -> ArgumentHelp { value("time", text) }
}

// The kinds of values that most options have. Each has a name in the help, a parser, and a shell completion.
extension Option {
  /// Creates an option for the path of a file.
  init(
    name: NameSpecification = .long, file help: String, visibility: ArgumentVisibility = .default
  ) where Value == String? {
    let help = ArgumentHelp.value("file", help, visibility: visibility)
    self.init(name: name, help: help, completion: .file())
  }

  /// Creates an option for files; it can be repeated.
  init<File: ExpressibleByArgument>(
    wrappedValue: [File], name: NameSpecification = .long, file help: String
  ) where Value == [File] {
    let help = ArgumentHelp.value("file", help)
    self.init(wrappedValue: wrappedValue, name: name, help: help, completion: .file())
  }

  /// Creates an option for the path of a folder.
  init(folder help: String) where Value == String? {
    self.init(help: .value("folder", help), completion: .directory)
  }

  /// Creates an option for a duration greater than zero.
  init(name: NameSpecification = .long, time help: String) where Value == Duration? {
    self.init(name: name, help: .time(help), transform: Duration.positiveArgument)
  }

  /// Creates an option for a duration greater than zero, with a default.
  init(
    wrappedValue: Duration, name: NameSpecification = .long, time help: String
  ) where Value == Duration {
    self.init(
      wrappedValue: wrappedValue, name: name, help: .time(help),
      transform: Duration.positiveArgument
    )
  }

  /// Creates an option for a maximum age.
  init(age help: String, visibility: ArgumentVisibility = .default) where Value == Duration? {
    let help = ArgumentHelp.value("age", help, visibility: visibility)
    self.init(help: help, transform: Duration.ageArgument)
  }
}

extension Duration {
  /// Parses a duration greater than zero.
  static func positiveArgument(_ argument: String) throws -> Duration {
    let duration = try Self.argument(argument)
    guard duration > .zero else {
      throw ValidationError("expected \(Duration.expected), found '\(argument)'")
    }
    return duration
  }

  /// Parses an age: `90d`, `12h`, `30m`.
  static func ageArgument(_ argument: String) throws -> Duration {
    if argument.last == "d", let days = Int(argument.dropLast()), (0...36_500).contains(days) {
      return .seconds(days * 86_400)
    }
    if let duration = Duration(written: argument) { return duration }
    throw ValidationError("expected an age such as 90d, 12h or 30m")
  }

  /// Parses a duration with its unit: `10s`, `500ms`, `2m`, `1h`.
  static func argument(_ argument: String) throws -> Duration {
    if let duration = Duration(written: argument) { return duration }
    throw ValidationError(
      Duration(written: argument + "s") == nil
        ? "expected a duration such as 10s, 500ms or 2m" : "add a unit: \(argument)s"
    )
  }
}

/// Parses a size in bytes with an optional unit in powers of 1024: `64K`, `64M`, `1g`. It must be at least
/// a few packets.
func sizeArgument(_ argument: String) throws -> Int {
  let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
  let unit = argument.uppercased().last.flatMap { units[$0] }
  let digits = unit == nil ? argument[...] : argument.dropLast()
  guard let number = Int(digits), number >= 0 else {
    throw ValidationError("expected a number of bytes, or one with K, M or G: 500M")
  }
  let (octets, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
  guard !overflow else { throw ValidationError("that is more than can be counted") }
  guard octets >= 4096 else { throw ValidationError("must be at least 4K (4096 bytes)") }
  return octets
}

/// Parses a SHA-256.
func digestArgument(_ argument: String) throws -> String {
  guard argument.utf8.count == 64, argument.utf8.allSatisfy({ $0 < 128 }),
    argument.allSatisfy(\.isHexDigit)
  else { throw ValidationError("expected 64 hexadecimal digits, as sha256sum prints them") }
  return argument.lowercased()
}

extension ValueFormat: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }

  public static var allValueStrings: [String] { names }
  public static var defaultCompletionKind: CompletionKind { .list(names) }
}

extension AgentCapability: ExpressibleByArgument {}

/// Rarely needed options. They are in the manual pages, but not in the help.
enum RareOptions {
  /// Whether the help is requested for generating the manual pages.
  private static var isForManual: Bool {
    ProcessArguments.all.contains("--experimental-dump-help")
  }

  static var visibility: ArgumentVisibility { isForManual ? .default : .hidden }

  /// Returns the last paragraph of a discussion, which says where to find them.
  static func hint(_ command: String) -> String {
    isForManual ? "" : "\n\nRarer options are in blerun-\(command)(1), and in --help-hidden."
  }
}
