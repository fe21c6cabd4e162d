// The option for the device, of every command that works on one device.

import ArgumentParser
import Bluetooth
import Documents

extension DeviceOptions {
  /// Whether a word can only be a device: an address, a pattern, or a name that no characteristic can have.
  static func isDevice(_ word: String) -> Bool {
    BluetoothAddress(word) != nil
      || word.contains { $0 == "*" || $0 == "?" || $0 == " " || $0.isUppercase }
  }

  /// Returns an addition to the error about an unexpected word; empty if the word cannot be a device.
  static func hint(for word: String) -> String {
    isDevice(word) ? "; a device is given with -d" : ""
  }

  /// Returns the error about a device given without `--device` to a command without arguments; nil if there
  /// is no such word.
  static func deviceWithoutOption(in arguments: [String]) -> String? {
    let commands = [Inspect.configuration, Pair.configuration, Unpair.configuration]
    guard arguments.count > 1, !arguments[1].hasPrefix("-"),
      commands.contains(where: { $0.commandName == arguments[0] }),
      !Pair.isPasskey(arguments[1], in: arguments)
    else { return nil }
    let command = [arguments[0], "-d", arguments[1]].asShellLine
    return "'\(arguments[1])': a device is given with -d: blerun \(command)"
  }
}

/// One device, by its address or its name.
struct DeviceOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "The device: an address, or a name with wildcards * and ?.")
  var device: String?

  @Flag(help: "Names match only in the same case.")
  var exact = false

  func validate() throws { _ = try parsed() }

  /// The device; nil without the option.
  var target: DeviceTarget? { try? parsed() }

  /// Returns the device of the option, or else the one of a file, with `--exact` applied to it.
  func target(insteadOf other: DeviceTarget?) -> DeviceTarget? {
    guard let target = target ?? other else { return nil }
    return exact ? target.exact : target
  }

  private func parsed() throws -> DeviceTarget? { try device.map(DeviceTarget.argument) }
}

extension DeviceTarget {
  /// Parses a device from the command line.
  ///
  /// - Throws: ``Problem`` for an empty name or an incomplete address.
  static func argument(_ text: String) throws -> DeviceTarget {
    do {
      return try DeviceTarget(parsing: text)
    } catch {
      throw Problem("\(error)", path: "--device")
    }
  }
}
