// The state of one characteristic.
//
// Pure: the current time comes in, values come out.

import Bluetooth
import Signals

/// The value of a characteristic, its descriptors, and the progress of its behaviour.
struct CharacteristicState {
  let attribute: AttributeTable.Characteristic
  /// The generator of every tick; generated values derive their own from it.
  let generator: SeededGenerator

  /// The value that was written last, or the initial one; unused by a generated value.
  var stored: [UInt8]
  /// A fixed value in place of a generated one; nil: it is generated.
  var held: [UInt8]?
  /// The values in the order of `descriptors`; the configuration's value follows from `mode`.
  var descriptorValues: [[UInt8]]
  /// The client's subscription; nil without one.
  var mode: SubscriptionMode?
  /// The number of ticks since the client subscribed.
  var ticks = 0
  /// The number of reads so far.
  var reads = 0
  /// The indices of the response rules that a write has matched.
  var usedRules: Set<Int> = []

  init(_ characteristic: AttributeTable.Characteristic, generator: SeededGenerator) {
    attribute = characteristic
    descriptorValues = characteristic.descriptors.map(\.value)
    self.generator = generator
    stored = characteristic.definition.behaviour.initialValue
  }

  var definition: CharacteristicDefinition { attribute.definition }
  /// The handle of the value.
  var handle: UInt16 { attribute.entry.handle }
  var descriptors: [DescriptorDefinition] { attribute.descriptors }

  /// Stores a value. A generated value stays fixed at it.
  mutating func fix(at value: [UInt8]) {
    if definition.behaviour.isMoving { held = value }
  }

  /// The current value, as the next read will find it. Does not count as a read.
  func present(elapsed: Duration) -> [UInt8] {
    if let held { return held }
    guard let moving = definition.behaviour.moving else { return stored }
    return moving.value(step: step(of: moving, elapsed), generator: generator)
  }

  /// The value that a tick sends; nil: the behaviour is over. `elapsed` counts from the device's
  /// start.
  mutating func tick(elapsed: Duration) -> [UInt8]? {
    ticks += 1
    if let held { return held }
    guard let moving = definition.behaviour.moving,
      !moving.isOver(step: step(of: moving, elapsed))
    else { return nil }
    return present(elapsed: elapsed)
  }

  /// The time to the next generated value; nil: none follows.
  var nextDelay: Duration? {
    definition.behaviour.moving?.delay(before: ticks, generator: generator)
  }

  private func step(of moving: any MovingValue, _ elapsed: Duration) -> Int {
    moving.step(elapsed: elapsed, ticks: ticks, reads: reads)
  }
}
