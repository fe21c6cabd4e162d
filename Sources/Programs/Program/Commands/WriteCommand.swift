// `blerun write`: writes one value.

import ArgumentParser
import Bluetooth
import Documents
import Jobs

struct WriteCommand: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Write one value.",
    discussion: """
      Connects, writes, and disconnects. Without --request, --command or --reliable the \
      characteristic's properties decide: a request, if it supports one.

        blerun write -d "Thermo*" alert-level u8:1
        blerun write -d Tag ff02 u8:1 utf8:"two words" --command
        blerun write -d "Thermo*" ff03 hex:0102 --offset 16
        blerun write -d Pot log fields:mode=eco --names soil.yaml
      """
  )

  @OptionGroup var target: TargetOptions

  @OptionGroup var place: AttributeOptions

  @Argument(
    help: .value(
      "value",
      "The value, as one or more parts: u8:1, hex:01ff, utf8:text; or the fields of a description."
    )
  )
  var value: [String]

  @Flag(help: "Write with response (Write Request).")
  var request = false

  @Flag(help: "Write without response (Write Command).")
  var command = false

  @Flag(help: "Write reliably: prepare, check the echo, execute.")
  var reliable = false

  @Flag(help: "Write without response through a socket (AcquireWrite).")
  var acquire = false

  @OptionGroup var printing: OutputOptions
  @OptionGroup var options: WorldOptions

  func validate() throws {
    try place.naming.check { _ = try step($0) }
    if acquire, request || reliable || place.descriptor {
      throw ValidationError("What is acquired for writing takes commands alone.")
    }
    if command || acquire, place.offset > 0 {
      throw ValidationError("A write without response carries no offset.")
    }
  }

  func run() throws {
    let names = try place.naming.names()
    try target.run(try step(names), names, in: options, printing.output)
  }

  private func step(_ names: AttributeNames) throws -> Step {
    let kinds = [(request, WriteKind.request), (command, .command), (reliable, .reliable)]
      .filter(\.0).map(\.1)
    guard kinds.count <= 1 else {
      throw ValidationError("Give one of --request, --command and --reliable.")
    }
    if place.descriptor {
      guard kinds.isEmpty else {
        throw ValidationError("A descriptor is always written with a request.")
      }
      let selector = try DescriptorSelector.argument(place.attribute, names)
      return Step(.writeDescriptor(WriteDescriptorStep(try written(names), to: selector)))
    }
    let selector = try CharacteristicSelector.argument(place.attribute, names)
    let kind = kinds.first ?? .automatic
    return Step(
      .write(
        WriteStep(
          try written(names), to: selector, kind: kind, offset: place.offset,
          delivery: acquire ? .acquire : .call
        )
      )
    )
  }

  private func written(_ names: AttributeNames) throws -> WrittenValue {
    if value.count == 1, let fields = value[0].wholeMatch(of: /fields:(.*)/.dotMatchesNewlines()) {
      return try written(fields: String(fields.1), names)
    }
    let parts = try value.map { text in
      guard let colon = text.firstIndex(of: ":"), let format = ValueFormat(String(text[..<colon]))
      else {
        throw Problem("invalid value '\(text)'", expected: "u8:1, hex:01ff, utf8:text …")
      }
      return WrittenValue.Part(format, String(text[text.index(after: colon)...]))
    }
    do {
      return try WrittenValue(parts)
    } catch {
      throw Problem(error.problem)
    }
  }

  /// The value of the fields of a description, parsed as in a step of the one-line form.
  private func written(fields: String, _ names: AttributeNames) throws -> WrittenValue {
    let verb = place.descriptor ? "write-descriptor" : "write"
    let target = Quoting.quoted(place.attribute)
    let line = "\(verb) \(target) fields:\(Quoting.quoted(fields))"
    let plan: Plan
    do throws(DocumentErrors) {
      plan = try Plan.parse(line: line, names: names)
    } catch {
      // A place in that line would be none in the command line.
      guard let problem = error.problems.first else { throw error }
      throw Problem(problem.message, expected: problem.expected, nearest: problem.nearest)
    }
    let action = plan.steps.first?.action
    if case .write(let step) = action { return step.value }
    if case .writeDescriptor(let step) = action { return step.value }
    throw Problem("the value is missing")
  }
}
