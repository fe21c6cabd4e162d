// Which attribute, and which part of its value: what reading and writing one value have in common.

import ArgumentParser
import Jobs

/// A characteristic or a descriptor, and where in its value to begin.
struct AttributeOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The characteristic: a name, a UUID, service/characteristic#n, or @ and a handle.",
      valueName: "characteristic"
    ),
    completion: SimulatedWords.characteristics
  )
  var attribute: String

  @Flag(help: "It is a descriptor: characteristic/descriptor, or @ and its handle.")
  var descriptor = false

  @Option(help: "The offset of the first byte; the bytes before it are left unchanged.")
  var offset = 0

  @OptionGroup var naming: NamesOptions

  func validate() throws {
    guard (0...WrittenValue.longest).contains(offset) else {
      throw ValidationError("--offset must be between 0 and \(WrittenValue.longest).")
    }
    if descriptor, offset > 0 {
      throw ValidationError("--offset is for characteristics.")
    }
  }
}
