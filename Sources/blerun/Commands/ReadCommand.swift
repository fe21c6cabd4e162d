// `blerun read`: one value.

import ArgumentParser
import Bluetooth
import Jobs

/// Reads a characteristic or a descriptor and prints its value.
struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read one value and print it.",
    discussion: """
      Connects, reads, and disconnects. The value is all that goes to standard output.

        blerun read -d "Thermo*" battery-level
        blerun read -d "Thermo*" ff01 --format u16 --offset 2
        blerun read -d "Thermo*" battery-level/2901 --descriptor
      """
  )

  @OptionGroup var target: TargetOptions
  @OptionGroup var options: WorldOptions

  @Argument(
    help: ArgumentHelp(
      "The characteristic: a name, a UUID, service/characteristic#n, or @ and a handle.",
      valueName: "characteristic"
    )
  )
  var attribute: String

  @Flag(help: "It is a descriptor: characteristic/descriptor, or @ and its handle.")
  var descriptor = false

  @Option(help: ArgumentHelp("How to understand the octets: u8, i16be, utf8, hex …"))
  var format: FormatArgument?

  @Option(help: "The first octet that is wanted.")
  var offset = 0

  func validate() throws {
    _ = try step()
    guard (0...WrittenValue.longest).contains(offset) else {
      throw ValidationError("--offset is from 0 to \(WrittenValue.longest).")
    }
    if descriptor, offset > 0 {
      throw ValidationError("--offset is for characteristics.")
    }
  }

  func run() throws { try target.run(try step(), in: options) }

  private func step() throws -> Step {
    if descriptor {
      let selector = try DescriptorSelector.argument(attribute)
      return Step(.attribute(.readDescriptor(selector, format: format?.format)))
    }
    let selector = try CharacteristicSelector.argument(attribute)
    guard offset > 0 else { return Step(.read(selector, format: format?.format)) }
    return Step(.attribute(.readFrom(selector, offset: offset, format: format?.format)))
  }
}
