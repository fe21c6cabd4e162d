// The characteristics that selectors were resolved to, valid as long as the objects do not change.

import Bluetooth
import DBus

/// Caches the channels of a device's characteristics by selector.
struct ChannelCache: Sendable {
  private var device: ObjectPath?
  private var generation: UInt64 = 0
  private var channels: [CharacteristicSelector: CharacteristicChannel] = [:]
  private var last: Resolved?

  /// The last result: one characteristic is often read many times in a row, and comparing with this
  /// copies nothing.
  private final class Resolved: Sendable {
    let selector: CharacteristicSelector
    let channel: CharacteristicChannel

    init(_ selector: CharacteristicSelector, _ channel: CharacteristicChannel) {
      self.selector = selector
      self.channel = channel
    }
  }

  /// The channel of a selector; nil when it has to be resolved.
  func channel(
    _ selector: CharacteristicSelector, of device: ObjectPath, generation: UInt64
  ) -> CharacteristicChannel? {
    guard generation == self.generation, device == self.device else { return nil }
    if let last, last.selector == selector { return last.channel }
    return channels[selector]
  }

  /// Stores a channel.
  mutating func keep(
    _ channel: CharacteristicChannel, _ selector: CharacteristicSelector, of device: ObjectPath,
    generation: UInt64
  ) {
    if generation != self.generation || device != self.device {
      channels = [:]
      self.device = device
      self.generation = generation
    }
    channels[selector] = channel
    last = Resolved(selector, channel)
  }
}
