// What one characteristic holds at a moment.
//
// Pure: the present time comes in, and nothing goes out but values.

import Bluetooth
import Signals

/// The value of a characteristic, its descriptors, and how far its behaviour has come.
struct CharacteristicState {
  let attribute: AttributeTable.Characteristic
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
  /// The places of the rules of its responses that a write has matched.
  var usedRules: Set<Int> = []

  init(_ characteristic: AttributeTable.Characteristic, generator: SeededGenerator) {
    attribute = characteristic
    descriptorValues = characteristic.descriptors.map(\.value)
    self.generator = generator
    stored = characteristic.definition.behaviour.initialValue
  }

  var definition: CharacteristicDefinition { attribute.definition }
  /// Of the value.
  var handle: UInt16 { attribute.entry.handle }
  var descriptors: [DescriptorDefinition] { attribute.descriptors }

  /// What moves by itself stands still at a value that it is given.
  mutating func hold(_ value: [UInt8]) {
    if definition.behaviour.isMoving { held = value }
  }

  /// The value that the next read finds, without there being one.
  func present(elapsed: Duration) -> [UInt8] {
    if let held { return held }
    guard let moving = definition.behaviour.moving else { return stored }
    return moving.value(step: step(of: moving, elapsed), generator: generator)
  }

  /// The value that a tick sends, `elapsed` after the device's start; nil: the behaviour is over.
  mutating func tick(elapsed: Duration) -> [UInt8]? {
    ticks += 1
    if let held { return held }
    guard let moving = definition.behaviour.moving,
      !moving.isOver(step: step(of: moving, elapsed))
    else { return nil }
    return present(elapsed: elapsed)
  }

  /// The time before the next value of a moving value comes; nil: none does.
  var nextDelay: Duration? {
    definition.behaviour.moving?.delay(before: ticks, generator: generator)
  }

  private func step(of moving: any MovingValue, _ elapsed: Duration) -> Int {
    moving.step(elapsed: elapsed, ticks: ticks, reads: reads)
  }
}
