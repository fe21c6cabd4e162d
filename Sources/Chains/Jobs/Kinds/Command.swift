// `command`: runs a local program; its standard output becomes the value of the step.
//
// This file does not start processes: `ChainRunner.runCommand` does.

import Bluetooth
import Documents
import RunEvents

/// A program that a `command` step runs without a shell, and the format of its output.
public struct CommandStep: Hashable, Sendable {
  /// The conversion from standard output to the value of the step.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// The text, without the final line ending.
    case text
    /// Pairs of hexadecimal digits, converted to bytes.
    case hex
    /// A JSON value; the members of an object become fields.
    case json
  }

  /// The standard input of a program.
  public enum Input: Hashable, Sendable {
    case text(MessageTemplate)
    /// A captured value as JSON: one line for each element of a list, such as all values of a
    /// stream.
    case lines(VariablePath)
    /// The bytes of a captured value, such as those of all values of a stream.
    case bytes(VariablePath)

    public static let empty = Input.text(MessageTemplate(literal: ""))
  }

  /// The program: with a slash, a path relative to the folder of the file that names it; otherwise
  /// a name in `PATH`. Captured values are not substituted here, so a device cannot choose it.
  public var program: String
  /// The arguments. Each stays one argument, even if its captured values contain spaces.
  public var arguments: [MessageTemplate]
  /// The standard input; empty by default.
  public var input: Input
  public var format: Format

  public init(
    _ program: String, arguments: [MessageTemplate] = [], input: Input = .empty,
    format: Format = .text
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

extension CommandStep.Format {
  /// Converts the output of a program.
  ///
  /// - Throws: ``CommandStep/Failure`` when the output does not match the format.
  func value(of octets: [UInt8]) throws(CommandStep.Failure) -> DecodedValue {
    guard let text = String(validating: octets, as: UTF8.self) else {
      throw CommandStep.Failure("it printed what is not UTF-8")
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

  private func unreadable(_ text: String, _ expected: String) -> CommandStep.Failure {
    let line = text.withoutLineEnd
    let found = line.isEmpty ? "nothing" : "'\(line.prefix(80))\(line.count > 80 ? "…" : "")'"
    return CommandStep.Failure("it printed \(found), and not \(expected)")
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
  /// - Throws: ``CommandStep/Failure`` for an object with a duplicate key.
  fileprivate init(_ json: JSONValue) throws(CommandStep.Failure) {
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
          throw CommandStep.Failure("it printed the member '\(member.key)' twice")
        }
        fields.append(Field(member.key, try DecodedValue(member.value)))
      }
      self = .fields(fields)
    }
  }
}

extension CommandStep: StepKind {
  init() { self.init("") }

  static let verb = "command"
  static let synonyms = ["exec", "shell", "program", "script"]
  static let documentation =
    "runs a program, without a shell, where `--allow-commands` allows it; its value is what the program prints"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let needsLink = false
  static let titleKeys = 2
  static let keys: [Key<CommandStep>] = [
    Key(
      "command", \.program, .program, line: .target,
      "the program: a path from the folder of the file that names it, or a name in `PATH`; without captured values. A list has its arguments, too"
    ),
    Key(
      "arguments", \.arguments, .arguments, default: [], line: .repeated("with"),
      "its arguments; captured values are put in, and each stays one argument"
    ),
    Key(
      "input", \.input, .input, default: .empty,
      "what it gets on standard input: a text, `lines` with a captured value as lines of JSON, or `bytes` with its bytes"
    ),
    Key("format", \.format, .choice, default: .text, "how its output becomes the value"),
  ]

  var action: Step.Action { .command(self) }
  var attribute: String? { program }
  var subjects: Subjects? { Subjects(ofOutput: format) }
  var participle: String { "running \(program)" }

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
    let (printed, decoded): ([UInt8], DecodedValue)
    do {
      let call = Call(
        program: program, arguments: arguments.compactMap(\.constant),
        input: try input.octets(run.chain.value), file: run.step.sourceFile, limit: limit,
        allowed: run.plan.allowedCommands
      )
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
    shape.operations.fill = { value, filling throws(Problem) in try filling.filled(value) }
    return shape
  }
}

extension CommandStep.Input {
  fileprivate enum Form: String, CaseIterable {
    case lines, bytes

    func input(_ path: VariablePath) -> CommandStep.Input {
      switch self {
      case .lines: .lines(path)
      case .bytes: .bytes(path)
      }
    }
  }

  fileprivate var mentions: [VariablePath] {
    switch self {
    case .text(let template): template.variables
    case .lines(let path), .bytes(let path): [path]
    }
  }

  /// The one-line form: `"{name}"`, `lines:{log.values}`.
  fileprivate var word: String {
    switch self {
    case .text(let template): Quoting.quoted(template.description)
    case .lines(let path): "\(Form.lines):{\(path)}"
    case .bytes(let path): "\(Form.bytes):{\(path)}"
    }
  }

  /// The bytes of the standard input.
  fileprivate func octets(
    _ find: (VariablePath) -> DecodedValue?
  ) throws(CommandStep.Failure) -> [UInt8] {
    func captured(_ path: VariablePath) throws(CommandStep.Failure) -> DecodedValue {
      if let value = find(path) { return value }
      throw CommandStep.Failure(
        "'\(path)' was not captured: its step did not run, or has no such value",
        hint: "check the result of the earlier step with 'as'"
      )
    }
    switch self {
    case .text(let template): return Array((template.constant ?? "").utf8)
    case .lines(let path):
      let value = try captured(path)
      let elements = if case .list(let elements) = value { elements } else { [value] }
      return elements.flatMap { Array(JSONValue($0).text.utf8) + [10] }
    case .bytes(let path):
      let value = try captured(path)
      if let octets = value.only.bytes { return octets }
      throw CommandStep.Failure(
        "'\(path)' is not bytes", hint: "name the bytes: {\(path.variable).bytes}")
    }
  }
}

extension StepReader {
  /// Reads the input of a program: a text, or one of its forms with a captured value.
  fileprivate mutating func commandInput(
    _ node: Node, _ text: Shape<MessageTemplate>
  ) -> CommandStep.Input? {
    if form == .line, let words = node.text?.split(separator: ":", maxSplits: 1),
      let form = words.first.flatMap({ CommandStep.Input.Form(rawValue: String($0)) }),
      words.count == 2, let path = MessageTemplate(String(words[1]))?.onlyVariable
    {
      complain(about: path, as: form, node)
      return form.input(path)
    }
    guard let entries = node.mapping else { return text.read(node, &self).map { .text($0) } }
    guard entries.count == 1, let form = CommandStep.Input.Form(rawValue: entries[0].key),
      let path = entries[0].value.text.flatMap({ MessageTemplate($0)?.onlyVariable })
    else { return nil }
    complain(about: path, as: form, entries[0].value)
    return form.input(path)
  }

  /// Reports a captured value that no earlier step captures, or that has no bytes where they are
  /// the input.
  private mutating func complain(
    about path: VariablePath, as form: CommandStep.Input.Form, _ node: Node
  ) {
    let before = problems.count
    complainOfUnknown([path], node)
    guard form == .bytes, problems.count == before, let kind = scope.kind(of: path) else { return }
    switch kind {
    case .octets, .text, .choice, .time: return
    case .number, .boolean, .list:
      complain(
        node,
        Problem("'\(path)' is \(kind.shown)", expected: "bytes such as {\(path.variable).bytes}")
      )
    }
  }
}

extension Shape where Value == CommandStep.Input {
  fileprivate static var input: Self {
    let text = Shape<MessageTemplate>.argument
    let captured: JSONValue = [
      "type": "object",
      "properties": .object(
        CommandStep.Input.Form.allCases.map { .init($0.rawValue, JSONValue.type("string")) }
      ),
      "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
    ]
    let shape = Shape(
      "a text, { lines: '{log.values}' } or { bytes: '{log.bytes}' }",
      line: "a text, lines:{log.values} or bytes:{log.bytes}",
      schema: .anyOf([.scalar, captured]), word: .template, words: { [$0.word] }
    ) { node, reader in reader.commandInput(node, text) }
    return shape.usingCaptures {
      $0.mentions
    } fill: { value, filling throws(Problem) in
      guard case .text(let template) = value else { return value }
      return .text(try filling.filled(template))
    }
  }
}

extension Shape where Value == [MessageTemplate] {
  fileprivate static var arguments: Self {
    let one = Shape<MessageTemplate>.argument
    let shape = Shape(
      "a list of texts", line: MessageTemplate.shape, schema: .list(of: .scalar), word: .template,
      words: { $0.flatMap(one.operations.words) }
    ) { node, reader in
      guard let nodes = node.sequence else { return nil }
      let texts = nodes.compactMap { reader.read($0, one) }
      return texts.count == nodes.count ? texts : nil
    }
    return shape.usingCaptures {
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
      throw RunFailure(CommandStep.Failure.notAllowed, of: first.step)
    }
  }
}

extension Plan {
  /// The programs in the plan, each with its step.
  package var commands: [(command: CommandStep, step: Step)] {
    allSteps.compactMap { step in
      if case .command(let command) = step.action { (command, step) } else { nil }
    }
  }
}

extension CommandStep.Failure {
  /// The failure for a run that was not started with `--allow-commands`.
  static let notAllowed = CommandStep.Failure(
    "this chain runs a program, which is not allowed here",
    hint: "look at the program, and run the chain with 'blerun run --allow-commands'"
  )

  /// The reason for a program that exceeded its timeout.
  package static func late(_ limit: Duration) -> String {
    "it did not end within \(limit.written)"
  }
}

extension RunFailure {
  fileprivate init(_ failure: CommandStep.Failure, of step: Step) {
    self.init(
      code: .commandFailed, class: .definite, what: step.participle, why: failure.why,
      hint: failure.hint
    )
    source = step.source
    sourceText = step.sourceText
  }
}
