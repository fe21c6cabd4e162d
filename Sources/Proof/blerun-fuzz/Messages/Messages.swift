// Hostile messages to the simulated org.bluez.

import DBus
import Signals
import SimulatedDevices

/// Sends calls to the simulated org.bluez, sixty-four to each world; occasionally with almost no
/// descriptors left.
struct Messages: FuzzTarget {
  static let roundLength: UInt64 = 64

  private let seed: UInt64
  private let devices: [[DeviceDefinition]]
  private var world: MessageWorld?
  private var granted = 0
  /// The number of open descriptors outside of a world.
  private let descriptors: Int

  /// One of this many inputs is sent while no descriptors are left.
  private static let squeezed = 24

  init(seed: UInt64) throws {
    self.seed = seed
    descriptors = OpenDescriptors.count
    devices = try Corpus(["Simulators/devices/*.yaml"]).files.map {
      try DeviceFile.load(path: $0.path)
    }
  }

  func input(_ number: UInt64) -> String {
    guard let world = try? makeWorld(number) else { return "there is no world" }
    let draft = draft(number, world)
    let text = draft.message.map { "\($0)" } ?? "a message that cannot be sent"
    let limit = draft.freeDescriptors.map { "with \($0) descriptors left: " } ?? ""
    return limit + text.prefix(2_000)
  }

  mutating func feed(_ number: UInt64) throws -> Bool {
    if number % Self.roundLength == 0 || world == nil {
      world = nil
      world = try makeWorld(number)
      granted = 0
    }
    let isAccepted = try send(number)
    guard number % Self.roundLength == Self.roundLength - 1 else { return isAccepted }
    try world?.finish()
    world = nil
    let left = OpenDescriptors.count
    guard left == descriptors else {
      throw BrokenPromise(description: "\(left - descriptors) descriptors are left open")
    }
    return isAccepted
  }

  private mutating func send(_ number: UInt64) throws -> Bool {
    guard let world else { return false }
    var draft = draft(number, world)
    guard let message = draft.message else { return false }
    try world.send(message, freeDescriptors: draft.freeDescriptors, &draft.generator)
    defer { granted = world.granted }
    return world.granted > granted
  }

  /// The world of the round that a number belongs to.
  private func makeWorld(_ number: UInt64) throws -> MessageWorld {
    let round = number / Self.roundLength
    var generator = SeededGenerator("worlds", seed: seed, number: round)
    let first = generator.index(devices.count)
    let second = (first + 1 + generator.index(devices.count - 1)) % devices.count
    return try MessageWorld(devices[first] + devices[second], generator)
  }

  private struct Draft {
    let message: Message?
    /// The number of descriptors that can be opened while it is handled; nil: enough.
    let freeDescriptors: Int?
    var generator: SeededGenerator
  }

  private func draft(_ number: UInt64, _ world: MessageWorld) -> Draft {
    var draw = Draw(
      paths: world.paths, generator: SeededGenerator("messages", seed: seed, number: number)
    )
    let isSqueezed = draw.generator.hits(1, in: Self.squeezed)
    let kinds = isSqueezed && draw.generator.hits(3, in: 4) ? CallDraft.acquiring : CallDraft.all
    let message = draw.generator.pick(kinds).message(to: world.objects, &draw)
    let freeDescriptors = isSqueezed ? draw.generator.index(5) : nil
    return Draft(message: message, freeDescriptors: freeDescriptors, generator: draw.generator)
  }
}
