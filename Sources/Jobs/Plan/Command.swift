// A program of the user's that a step runs, and what becomes of its output.

import Bluetooth
import Documents

/// A program that a `command` step runs, without a shell, and how its output becomes a value.
public struct Command: Hashable, Sendable {
  /// How standard output becomes the value of the step.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Its text, without the end of the last line.
    case text
    /// Hexadecimal digits, which are bytes.
    case hex
    /// A JSON value; the members of an object are fields.
    case json
  }

  /// The program: a path from the folder of the chain where it has a slash, otherwise a name in `PATH`.
  /// It uses no captured values, so that no device chooses what is run.
  public var program: String
  /// Its arguments; each stays one argument, whatever its captured values are.
  public var arguments: [MessageTemplate]
  /// What it gets on standard input; empty for nothing.
  public var input: MessageTemplate
  /// How its output becomes the value.
  public var format: Format

  /// A program; see the properties.
  public init(
    _ program: String,
    arguments: [MessageTemplate] = [],
    input: MessageTemplate = MessageTemplate(literal: ""),
    format: Format = .text
  ) {
    self.program = program
    self.arguments = arguments
    self.input = input
    self.format = format
  }

  /// The most that a program may print, in bytes.
  public static let longestOutput = 65_536

  /// Why a program did not run, or what it printed is of no use.
  public struct Failure: Error, Hashable, Sendable {
    /// "it ended with status 1: no such key".
    public let why: String
    /// What to try.
    public let hint: String

    /// A failure in its parts.
    public init(_ why: String, hint: String = "run the program by hand with the same arguments") {
      self.why = why
      self.hint = hint
    }
  }

  /// A program as it is to run, with its captured values replaced.
  public struct Call: Hashable, Sendable {
    /// The program as the chain names it.
    public let program: String
    /// Its arguments.
    public let arguments: [String]
    /// Its standard input.
    public let input: [UInt8]
    /// The file that names it, from whose folder it runs; nil for the working directory.
    public let file: String?
    /// How long it may take, in real time, in a simulation too.
    public let limit: Duration
    /// Which programs may run.
    public let allowed: AllowedCommands
  }
}

/// Which programs a chain may run.
public enum AllowedCommands: Hashable, Sendable {
  /// None.
  case none
  /// Those that the chain names.
  case all
  /// Those whose files have one of these SHA-256 digests, in lower-case hexadecimal digits.
  case digests(Set<String>)
}

extension Command.Format {
  /// The value that a program printed.
  ///
  /// - Throws: What is wrong with it.
  func value(of octets: [UInt8]) throws(Command.Failure) -> DecodedValue {
    guard let text = String(validating: octets, as: UTF8.self) else {
      throw Command.Failure("it printed what is not UTF-8")
    }
    switch self {
    case .text:
      return .text(String(text.withoutLineEnd))
    case .hex:
      let digits = text.filter { !$0.isWhitespace }
      guard !digits.isEmpty, digits.count.isMultiple(of: 2),
        let octets = try? ValueFormat("hex")?.encode(digits)
      else { throw unreadable(text, "pairs of hexadecimal digits") }
      return .octets(octets)
    case .json:
      let json: JSONValue
      do throws(JSONSyntaxError) {
        json = try JSONValue(parsing: text)
      } catch {
        throw unreadable(text, "one JSON value: \(error)")
      }
      guard json != .null else { throw unreadable(text, "a value") }
      return try DecodedValue(json)
    }
  }

  private func unreadable(_ text: String, _ expected: String) -> Command.Failure {
    let line = text.withoutLineEnd
    let found = line.isEmpty ? "nothing" : "'\(line.prefix(80))\(line.count > 80 ? "…" : "")'"
    return Command.Failure("it printed \(found), and not \(expected)")
  }
}

extension String {
  /// Without the end of its last line, as Unix or Windows writes it.
  fileprivate var withoutLineEnd: Substring { last?.isNewline == true ? dropLast() : self[...] }
}

extension DecodedValue {
  /// A JSON value. A member that is null is missing; a number beyond those of a computer is a text.
  ///
  /// - Throws: Which member an object has twice.
  fileprivate init(_ json: JSONValue) throws(Command.Failure) {
    switch json {
    case .null: self = .text("null")
    case .boolean(let truth): self = .boolean(truth)
    case .string(let text): self = .text(text)
    case .number(let digits):
      if let integer = Int128(digits) {
        self = .integer(integer)
      } else if let real = Double(digits), real.isFinite {
        let fraction = digits.split(separator: ".").dropFirst().first?.prefix(while: \.isNumber)
        self = .real(real, decimals: fraction?.count ?? 0)
      } else {
        self = .text(digits)
      }
    case .array(let values):
      var list: [DecodedValue] = []
      for value in values { list.append(try DecodedValue(value)) }
      self = .list(list)
    case .object(let members):
      var fields: [Field] = []
      for member in members where member.value != .null {
        guard !fields.contains(where: { $0.name == member.key }) else {
          throw Command.Failure("it printed the member '\(member.key)' twice")
        }
        fields.append(Field(member.key, try DecodedValue(member.value)))
      }
      self = .fields(fields)
    }
  }
}
