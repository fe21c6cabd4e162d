// Which device: the option of every command that works on one.

import ArgumentParser
import Bluetooth

/// One device, by its address or its name.
struct DeviceOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: "The device: an address, or a name with wildcards * and ?.",
    completion: SimulatedWords.devices
  )
  var device: String?

  @Flag(help: "Names match only in the same case.")
  var exact = false

  func validate() throws { _ = try parsed() }

  /// The device, if the option is given.
  var target: DeviceTarget? { try? parsed() }

  /// The device to use: that of the option, or the one of a file, with `--exact` applied to it.
  func target(insteadOf other: DeviceTarget?) -> DeviceTarget? {
    guard let target = target ?? other else { return nil }
    return exact ? target.exact : target
  }

  /// - Throws: ``WrongText`` for an empty name or an incomplete address.
  private func parsed() throws -> DeviceTarget? {
    do {
      return try device.map { text throws(InvalidDeviceTarget) in
        try DeviceTarget(parsing: text)
      }
    } catch {
      throw WrongText("--device: \(error)")
    }
  }
}
