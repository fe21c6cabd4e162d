// `blerun read`: reads one value.

import ArgumentParser
import Bluetooth
import Jobs

struct ReadCommand: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read one value and print it.",
    discussion: """
      Connects, reads, and disconnects. Only the value goes to standard output.

        blerun read -d "Thermo*" battery-level
        blerun read -d "Thermo*" ff01 --format u16 --offset 2
        blerun read -d "Thermo*" battery-level/2901 --descriptor
      """
  )

  @OptionGroup var target: TargetOptions

  @OptionGroup var place: AttributeOptions

  @Option(help: "How to decode the bytes: u8, i16be, utf8, hex …")
  var format: ValueFormat?

  @OptionGroup var printing: OutputOptions
  @OptionGroup var options: WorldOptions

  func validate() throws { try place.naming.check { _ = try step($0) } }

  func run() throws {
    let names = try place.naming.names()
    try target.run(try step(names), names, in: options, printing.output)
  }

  private func step(_ names: AttributeNames) throws -> Step {
    if place.descriptor {
      let selector = try DescriptorSelector.argument(place.attribute, names)
      return Step(.readDescriptor(ReadDescriptorStep(selector, format: format)))
    }
    let selector = try CharacteristicSelector.argument(place.attribute, names)
    return Step(.read(ReadStep(selector, offset: place.offset, format: format)))
  }
}
