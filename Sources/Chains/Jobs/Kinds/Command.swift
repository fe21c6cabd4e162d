// `command`: runs a program of the user's; what it prints is the value of the step.

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
    _ program: String, arguments: [MessageTemplate] = [],
    input: MessageTemplate = MessageTemplate(literal: ""), format: Format = .text
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
      "the program: a path from the folder of the chain, or a name in `PATH`; without captured values. A list has its arguments, too"
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

  /// `command: [sh, -c, …]` as a program and its arguments.
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
  /// A program that no captured value chooses.
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
  /// A text in which each captured value is written as a chain would write it: all digits, no unit.
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
  /// Nothing of a chain is run whose programs may not be: a lock is not opened halfway.
  func refuseCommands() throws {
    guard runner.runCommand == nil || runner.plan.allowedCommands == .none else { return }
    if let first = runner.plan.commands.first {
      throw RunFailure(Command.Failure.notAllowed, of: first.step)
    }
  }
}

extension Plan {
  /// The programs that it runs, each with its step.
  package var commands: [(command: Command, step: Step)] {
    allSteps.compactMap { step in
      if case .command(let command) = step.action { (command, step) } else { nil }
    }
  }
}

extension Command.Failure {
  /// Whoever runs the chain did not allow programs.
  static let notAllowed = Command.Failure(
    "this chain runs a program, which is not allowed here",
    hint: "look at the program, and run the chain with 'blerun run --allow-commands'"
  )

  /// Why a program failed that did not end in time.
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
