// `command`: runs a program of the user's.

import Bluetooth
import Documents

extension Command: StepKind {
  init() { self.init("") }

  static let verb = StepVerb.command
  static let documentation =
    "runs a program, without a shell, where `--allow-commands` allows it; its value is what the program prints"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let needsLink = false
  static let titleKeys = 2
  static let keys: [Key<Command>] = [
    Key(
      "command",
      \.program,
      .program,
      .target,
      documentation:
        "the program: a path from the folder of the chain, or a name in `PATH`; without captured values"
    ),
    Key(
      "arguments",
      \.arguments,
      .arguments,
      default: [],
      .repeated("with"),
      documentation: "its arguments; captured values are put in, and each stays one argument"
    ),
    Key(
      "input",
      \.input,
      .argument,
      default: MessageTemplate(literal: ""),
      documentation: "what it gets on standard input"
    ),
    Key(
      "format",
      \.format,
      .choice("text: without the last line end. hex: bytes. json: the members are fields."),
      default: .text,
      documentation: "how its output becomes the value"
    ),
  ]

  var action: Step.Action { .command(self) }
  var characteristic: CharacteristicSelector? { nil }
  var attribute: String? { program }
  var subjects: Subjects? { Subjects(ofOutput: format) }
  var doing: String { "running \(program)" }
}

extension Shape where Value == String {
  /// A program that no captured value chooses.
  fileprivate static var program: Self {
    let expected = "a program such as ./answer.py, without captured values"
    return Shape(
      expected,
      schema: .type("string"),
      word: .constant,
      words: { [Quoting.quoted($0)] }
    ) {
      node,
      reader in
      guard !reader.surroundings.isIncluded else {
        reader.complain(
          node,
          Problem(
            "an included file runs no programs",
            expected: "the command in the chain itself"
          )
        )
        return nil
      }
      return node.text.flatMap { !$0.isEmpty && $0 == MessageTemplate($0)?.constant ? $0 : nil }
    }
  }
}

extension Shape where Value == MessageTemplate {
  /// A text in which each captured value is written as a chain would write it: all digits, no unit.
  fileprivate static var argument: Self {
    var shape = Self.template
    shape.fill = { value, filling throws(Problem) in try filling.filled(value) }
    return shape
  }
}

extension Shape where Value == [MessageTemplate] {
  fileprivate static var arguments: Self {
    let one = Shape<MessageTemplate>.argument
    let shape = Shape(
      "a list of texts",
      line: MessageTemplate.shape,
      schema: .list(of: .scalar),
      word: .template,
      words: { $0.flatMap(one.words) }
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
