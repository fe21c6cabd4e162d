// `command`: runs a local program; its standard output becomes the value of the step.
//
// This file does not start processes: `ChainRunner.runCommand` does.

import Bluetooth
import Documents

/// A program that a `command` step runs without a shell, and the format of its output.
public struct Command: Hashable, Sendable {
  /// The conversion from standard output to the value of the step.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// The text, without the final line ending.
    case text
    /// Pairs of hexadecimal digits, converted to bytes.
    case hex
    /// A JSON value; the members of an object become fields.
    case json
  }

  /// The program: with a slash, a path relative to the folder of the file that names it; otherwise
  /// a name in `PATH`. Captured values are not substituted here, so a device cannot choose it.
  public var program: String
  /// The arguments. Each stays one argument, even if its captured values contain spaces.
  public var arguments: [MessageTemplate]
  /// The standard input; empty by default.
  public var input: MessageTemplate
  public var format: Format

  public init(
    _ program: String, arguments: [MessageTemplate] = [],
    input: MessageTemplate = MessageTemplate(literal: ""), format: Format = .text
  ) {
    self.program = program
    self.arguments = arguments
    self.input = input
    self.format = format
  }

  /// The maximum size of a program's output, in bytes.
  public static let longestOutput = 65_536

  /// The reason that a program could not run or its output is invalid.
  public struct Failure: Error, Hashable, Sendable {
    /// The reason, such as "it ended with status 1: no such key".
    public let why: String
    /// A suggestion for the user.
    public let hint: String

    public init(_ why: String, hint: String = "run the program by hand with the same arguments") {
      self.why = why
      self.hint = hint
    }
  }

  /// A program with its captured values substituted, ready to run.
  public struct Call: Hashable, Sendable {
    /// The program as the chain names it.
    public let program: String
    public let arguments: [String]
    /// The standard input.
    public let input: [UInt8]
    /// The chain file that names the program, whose folder becomes the working directory; nil keeps
    /// the current one.
    public let file: String?
    /// The timeout in real time, even in a simulation.
    public let limit: Duration
    /// The programs that may run.
    public let allowed: AllowedCommands
  }
}

/// The programs that a chain may run.
public enum AllowedCommands: Hashable, Sendable {
  case none
  /// Every program that the chain names.
  case all
  /// Programs whose files have one of these SHA-256 digests, in lower-case hexadecimal digits.
  case digests(Set<String>)
}

extension Command.Format {
  /// Converts the output of a program.
  ///
  /// - Throws: ``Command/Failure`` when the output does not match the format.
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
  /// The string without one final line ending, `\n` or `\r\n`.
  fileprivate var withoutLineEnd: Substring { last?.isNewline == true ? dropLast() : self[...] }
}

extension DecodedValue {
  /// Converts a JSON value.
  ///
  /// A member that is null is omitted. A number that neither `Int128` nor `Double` can hold becomes
  /// text.
  ///
  /// - Throws: ``Command/Failure`` for an object with a duplicate key.
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

extension Command: StepKind {
  init() { self.init("") }

  static let verb = "command"
  static let synonyms = ["exec", "shell", "program", "script"]
  static let documentation =
    "runs a program, without a shell, where `--allow-commands` allows it; its value is what the program prints"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let needsLink = false
  static let titleKeys = 2
  static let keys: [Key<Command>] = [
    Key(
      "command", \.program, .program, line: .target,
      "the program: a path from the folder of the file that names it, or a name in `PATH`; without captured values. A list has its arguments, too"
    ),
    Key(
      "arguments", \.arguments, .arguments, default: [], line: .repeated("with"),
      "its arguments; captured values are put in, and each stays one argument"
    ),
    Key(
      "input", \.input, .argument, default: MessageTemplate(literal: ""),
      "what it gets on standard input"
    ),
    Key("format", \.format, .choice, default: .text, "how its output becomes the value"),
  ]

  var action: Step.Action { .command(self) }
  var attribute: String? { program }
  var subjects: Subjects? { Subjects(ofOutput: format) }
  var doing: String { "running \(program)" }

  static func steps(_ node: Node, _ reader: inout StepReader) -> [Step] {
    kindSteps(separated(node, &reader), &reader)
  }

  /// Rewrites `command: [sh, -c, …]` as separate `command` and `arguments` entries.
  private static func separated(_ node: Node, _ reader: inout StepReader) -> Node {
    guard let words = node.value(of: verb)?.sequence, let program = words.first,
      let entries = node.mapping
    else { return node }
    let others = Array(words.dropFirst())
    if !others.isEmpty, let given = node.value(of: "arguments") {
      reader.complain(given, Problem("the list of 'command' has arguments, too"))
    }
    let list = others.first.map { Node(.sequence(others), at: $0.place, path: $0.path) }
    let separate = entries.flatMap { entry -> [Node.Entry] in
      guard entry.key == verb else { return entry.key == "arguments" && list != nil ? [] : [entry] }
      let first = Node.Entry(key: entry.key, keyPlace: entry.keyPlace, value: program)
      return [first]
        + (list.map { [Node.Entry(key: "arguments", keyPlace: entry.keyPlace, value: $0)] } ?? [])
    }
    return Node(.mapping(separate), at: node.place, path: node.path)
  }

  func run(_ run: StepRun) async throws {
    let limit = run.limit
    run.awaits(limit: limit)
    let call = Call(
      program: program, arguments: arguments.compactMap(\.constant),
      input: Array((input.constant ?? "").utf8), file: run.step.sourceFile, limit: limit,
      allowed: run.plan.allowedCommands
    )
    let (printed, decoded): ([UInt8], DecodedValue)
    do {
      guard let runCommand = run.chain.runner.runCommand else { throw Failure.notAllowed }
      printed = try await runCommand(call)
      decoded = try format.value(of: printed)
    } catch let failure as Failure {
      throw RunFailure(failure, of: run.step)
    }
    try run.report(.success(decoded), decoded.bytes ?? printed)
  }
}

extension Shape where Value == String {
  /// The name of a program, in which captured values are not allowed.
  fileprivate static var program: Self {
    Shape(
      "a program such as ./answer.py, without captured values",
      schema: .anyOf([.type("string"), .list(of: .scalar)]),
      word: .constant, words: { [Quoting.quoted($0)] }
    ) { node, _ in
      node.text.flatMap { !$0.isEmpty && $0 == MessageTemplate($0)?.constant ? $0 : nil }
    }
  }
}

extension Shape where Value == MessageTemplate {
  /// A text that substitutes captured values as a chain file spells them: all digits, no unit.
  fileprivate static var argument: Self {
    var shape = Self.template
    shape.traits.fill = { value, filling throws(Problem) in try filling.filled(value) }
    return shape
  }
}

extension Shape where Value == [MessageTemplate] {
  fileprivate static var arguments: Self {
    let one = Shape<MessageTemplate>.argument
    let shape = Shape(
      "a list of texts", line: MessageTemplate.shape, schema: .list(of: .scalar), word: .template,
      words: { $0.flatMap(one.traits.words) }
    ) { node, reader in
      guard let nodes = node.sequence else { return nil }
      let texts = nodes.compactMap { reader.read($0, one) }
      return texts.count == nodes.count ? texts : nil
    }
    return shape.live {
      $0.flatMap(\.variables)
    } fill: { values, filling throws(Problem) in
      var filled: [MessageTemplate] = []
      for value in values { filled.append(try filling.filled(value)) }
      return filled
    }
  }
}

extension ChainRun {
  /// Throws before the first step if the chain has a program that may not run: stopping halfway
  /// could leave the device in an intermediate state.
  func refuseCommands() throws {
    guard runner.runCommand == nil || runner.plan.allowedCommands == .none else { return }
    if let first = runner.plan.commands.first {
      throw RunFailure(Command.Failure.notAllowed, of: first.step)
    }
  }
}

extension Plan {
  /// The programs in the plan, each with its step.
  package var commands: [(command: Command, step: Step)] {
    allSteps.compactMap { step in
      if case .command(let command) = step.action { (command, step) } else { nil }
    }
  }
}

extension Command.Failure {
  /// The failure for a run that was not started with `--allow-commands`.
  static let notAllowed = Command.Failure(
    "this chain runs a program, which is not allowed here",
    hint: "look at the program, and run the chain with 'blerun run --allow-commands'"
  )

  /// The reason for a program that exceeded its timeout.
  package static func late(_ limit: Duration) -> String {
    "it did not end within \(limit.written)"
  }
}

extension RunFailure {
  fileprivate init(_ failure: Command.Failure, of step: Step) {
    self.init(
      code: .commandFailed, class: .definite, what: step.doing, why: failure.why,
      hint: failure.hint
    )
    source = step.source
    sourceText = step.sourceText
  }
}
