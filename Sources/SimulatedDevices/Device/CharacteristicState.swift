// What one characteristic holds at a moment.
//
// Pure: the present time comes in, and nothing goes out but values.

import Bluetooth
import Signals

/// The value of a characteristic, its descriptors, and how far its behaviour has come.
struct CharacteristicState {
  let definition: CharacteristicDefinition
  let handle: UInt16
  let descriptors: [DescriptorEntry]
  let writableDescriptors: [Bool]
  let descriptorSecurity: [AttributeSecurity]
  /// The same for every tick: a wave splits it.
  let generator: SeededGenerator

  /// What was written last, or stood there from the start; of no meaning to a moving value.
  var stored: [UInt8]
  /// A moving value that was made to stand still; nil: it moves.
  var held: [UInt8]?
  /// In the order of `descriptors`; that of the configuration is in `mode`.
  var descriptorValues: [[UInt8]]
  /// What the client subscribed to.
  var mode: SubscriptionMode?
  /// The ticks since the client subscribed.
  var ticks = 0
  /// The reads so far.
  var reads = 0

  init(_ characteristic: AttributeTable.Characteristic, generator: SeededGenerator) {
    definition = characteristic.definition
    handle = characteristic.entry.handle
    descriptors = characteristic.entry.descriptors
    writableDescriptors = characteristic.descriptors.map(\.isWritable)
    descriptorSecurity = characteristic.descriptors.map(\.security)
    descriptorValues = characteristic.descriptors.map(\.value)
    self.generator = generator
    stored = characteristic.definition.behaviour.initialValue
  }

  /// The value that the next read finds, without there being one.
  func present(elapsed: Duration) -> [UInt8] {
    if let held { return held }
    switch definition.behaviour {
    case .constant, .echo, .response: return stored
    case .counter(let counter):
      return counter.value(tick: counter.every.map(elapsed.periods(of:)) ?? reads)
    case .wave(let wave):
      return wave.value(tick: elapsed.periods(of: wave.every), generator: generator)
    case .noise(let noise):
      return noise.value(tick: elapsed.periods(of: noise.every), generator: generator)
    case .series(let series):
      return series.value(at: series.isTimed ? max(0, ticks - 1) : reads)
    }
  }

  /// The value that a tick sends, `elapsed` after the device's start; nil: the behaviour is over.
  mutating func tick(elapsed: Duration) -> [UInt8]? {
    defer { ticks += 1 }
    if let held { return held }
    switch definition.behaviour {
    case .constant, .echo, .response: return nil
    case .counter(let counter):
      let tick = counter.every.map(elapsed.periods(of:)) ?? 0
      return counter.isOver(tick: tick) ? nil : counter.value(tick: tick)
    case .series(let series):
      return series.isOver(at: ticks) ? nil : series.value(at: ticks)
    case .wave, .noise: return present(elapsed: elapsed)
    }
  }
}
