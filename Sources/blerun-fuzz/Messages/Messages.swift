// Hostile messages to the simulated org.bluez.

import DBus
import Signals
import SimulatedDevices

/// Gives calls to the simulated org.bluez, sixty-four to the same world.
struct Messages: FuzzTarget {
  static let roundLength: UInt64 = 64

  private let seed: UInt64
  private let devices: [[DeviceDefinition]]
  private var world: MessageWorld?
  private var granted = 0

  init(seed: UInt64) throws {
    self.seed = seed
    devices = try Corpus(["Simulators/devices/*.yaml"]).files.map {
      try DeviceFile.load(path: $0.path)
    }
  }

  func input(_ number: UInt64) -> String {
    guard let world = try? made(number) else { return "there is no world" }
    var (message, _) = draft(number, world)
    let text = message.map { "\($0)" } ?? "a message that nobody can send"
    message = nil
    return String(text.prefix(2_000))
  }

  mutating func take(_ number: UInt64) throws -> Bool {
    if number % Self.roundLength == 0 || world == nil {
      world = nil
      world = try made(number)
      granted = 0
    }
    guard let world else { return false }
    var (message, generator) = draft(number, world)
    guard let sent = message else { return false }
    message = nil
    try world.send(sent, &generator)
    if number % Self.roundLength == Self.roundLength - 1 { try world.finish() }
    defer { granted = world.granted }
    return world.granted > granted
  }

  /// The world of the round that a number belongs to.
  private func made(_ number: UInt64) throws -> MessageWorld {
    let round = number / Self.roundLength
    var generator = SeededGenerator("worlds", seed: seed, number: round)
    let first = generator.index(devices.count)
    let second = (first + 1 + generator.index(devices.count - 1)) % devices.count
    return try MessageWorld(devices[first] + devices[second], generator)
  }

  private func draft(
    _ number: UInt64,
    _ world: MessageWorld
  ) -> (Message?, SeededGenerator) {
    var draw = Draw(
      paths: world.paths,
      generator: SeededGenerator("messages", seed: seed, number: number)
    )
    let draft = draw.generator.pick(CallDraft.all)
    let message = draft.message(to: world.objects, &draw)
    return (message, draw.generator)
  }
}
