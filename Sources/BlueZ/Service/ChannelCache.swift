// The characteristics that selectors were resolved to, as long as the objects do not change.

import Bluetooth
import DBus

/// Remembers the channels of a device's characteristics by selector.
struct ChannelCache: Sendable {
  private var device: ObjectPath?
  private var generation: UInt64 = 0
  private var channels: [CharacteristicSelector: CharacteristicChannel] = [:]
  private var last: Resolved?

  /// One characteristic in a row is read many times; looking at this copies nothing.
  private final class Resolved: Sendable {
    let selector: CharacteristicSelector
    let channel: CharacteristicChannel

    init(_ selector: CharacteristicSelector, _ channel: CharacteristicChannel) {
      self.selector = selector
      self.channel = channel
    }
  }

  /// The channel of a selector; nil when it has to be looked up.
  func channel(
    _ selector: CharacteristicSelector,
    of device: ObjectPath,
    generation: UInt64
  ) -> CharacteristicChannel? {
    guard generation == self.generation, device == self.device else { return nil }
    if let last, last.selector == selector { return last.channel }
    return channels[selector]
  }

  /// Remembers a channel.
  mutating func keep(
    _ channel: CharacteristicChannel,
    _ selector: CharacteristicSelector,
    of device: ObjectPath,
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
