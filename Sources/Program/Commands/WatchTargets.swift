// Which characteristics of which devices: the words of `blerun watch`, in their order.

import ArgumentParser
import Bluetooth
import Documents
import Jobs
import SimulatedDevices

/// The devices of the command line, each with the characteristics behind it.
///
/// The parser keeps the order of options and the order of arguments, but not how they are mixed. So
/// each `--device` is followed by a mark among the arguments before they are parsed.
struct WatchTargets {
  /// No argument of a process contains it.
  private static let mark: Character = "\0"

  /// A device as it is named; nil where none is.
  struct Device {
    let name: String?
    var characteristics: [String] = []
  }

  let devices: [Device]
  private let names: AttributeNames

  /// The commands whose devices stand among their arguments.
  private static let commands = [WatchCommand.configuration, ServeCommand.configuration]
    .compactMap(\.commandName)

  /// The arguments of the command with a mark behind each device.
  static func marked(_ arguments: [String]) -> [String] {
    guard let command = arguments.first, commands.contains(command) else { return arguments }
    var marked: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      marked.append(argument)
      if argument == "--" { break }
      if ["-d", "--device"].contains(argument), let name = rest.popFirst() {
        marked += [name, "\(mark)\(name)"]
      } else if let name = ["-d=", "--device="].lazy.compactMap({ argument.rest(after: $0) }).first
      {
        marked.append("\(mark)\(name)")
      }
    }
    return marked + rest
  }

  /// Reads the arguments and the marks among them.
  ///
  /// - Parameters:
  ///   - words: The arguments.
  ///   - names: The names of characteristics.
  /// - Throws: `ValidationError` when a characteristic or its device is missing.
  init(_ words: [String], names: AttributeNames = .assigned) throws {
    self.names = names
    let marked = words.filter { $0.first == Self.mark }.map { String($0.dropFirst()) }
    var plain = words.filter { $0.first != Self.mark }
    switch marked.count {
    case 0:
      // A first word that is not a characteristic is the device.
      let isCharacteristic =
        (try? CharacteristicSelector(parsing: plain.first ?? "", names: names)) != nil
      let isNamed = plain.count > 1 && !isCharacteristic
      if plain.count == 1, !isCharacteristic, DeviceOptions.isDevice(plain[0]) {
        throw ValidationError(
          "Missing characteristic behind the device '\(plain[0])', such as battery-level."
        )
      }
      let name = isNamed ? plain.removeFirst() : nil
      devices = [Device(name: name, characteristics: plain)]
    case 1: devices = [Device(name: marked[0], characteristics: plain)]
    default: devices = try Self.devices(words)
    }
    for device in devices where device.characteristics.isEmpty {
      let place = marked.count > 1 ? " behind --device \(device.name ?? "")" : ""
      throw ValidationError("Missing characteristic\(place).")
    }
  }

  private static func devices(_ words: [String]) throws -> [Device] {
    var devices: [Device] = []
    for word in words {
      if word.first == mark {
        devices.append(Device(name: String(word.dropFirst())))
      } else if devices.isEmpty {
        throw ValidationError("'\(word)': expected --device before it, where several are named.")
      } else {
        devices[devices.count - 1].characteristics.append(word)
      }
    }
    return devices
  }

  /// The devices and characteristics that the words name. A device that is named twice is one.
  ///
  /// - Parameters:
  ///   - isExact: Whether names match only in the same case.
  ///   - only: Gives the device where none is named.
  /// - Throws: `ValidationError`, and what `only` throws.
  func devices(
    exact isExact: Bool,
    orElse only: () throws -> DeviceTarget
  ) throws -> [WatchPlan.Device] {
    var found: [WatchPlan.Device] = []
    for device in devices {
      let target = try device.name.map { try Self.target($0) } ?? only()
      let chosen = isExact ? target.exact : target
      let characteristics = try device.characteristics.map {
        try CharacteristicSelector.argument($0, names)
      }
      if let index = found.firstIndex(where: { $0.target == chosen }) {
        found[index].characteristics += characteristics
      } else {
        found.append(WatchPlan.Device(chosen, characteristics))
      }
    }
    return found
  }

  private static func target(_ name: String) throws -> DeviceTarget {
    do {
      return try DeviceTarget(parsing: name)
    } catch {
      throw Problem("\(error)", path: "--device")
    }
  }
}

extension String {
  fileprivate func rest(after start: String) -> String? {
    hasPrefix(start) ? String(dropFirst(start.count)) : nil
  }
}
