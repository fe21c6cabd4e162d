// Files of random recordings, with the texts that a careless writer of YAML breaks.

import Bluetooth
import Documents
import Fixtures
import Signals
import SimulatedDevices
import Testing

@testable import Recording

@Suite("Files of random recordings")
struct RandomRecordingTests {
  private static let names = ["null", "yes", "on", "a-b", "X_1"].enumerated().compactMap {
    try? AttributeName($0.element, BluetoothUUID(short: 0xffe0 + UInt16($0.offset)))
  }

  /// A value: a text, or any octets.
  private static func octets(using generator: inout SeededGenerator) -> [UInt8] {
    if Bool.random(using: &generator) {
      return Array(HostileText.random(using: &generator).utf8.prefix(40))
    }
    return (0..<Int.random(in: 0...6, using: &generator)).map { _ in
      UInt8.random(in: 0...255, using: &generator)
    }
  }

  private static func reading(using generator: inout SeededGenerator) -> RecordedReading? {
    switch Int.random(in: 0...5, using: &generator) {
    case 0: return nil
    case 1: return .unanswered
    case 2: return .unknown(HostileText.random(using: &generator))
    case 3: return .refused(ATTErrorCode(rawValue: UInt8.random(in: 1...255, using: &generator)))
    // open: random numbers
    default: return .octets(octets(using: &generator))
    }
  }

  private static func service(
    _ number: UInt16, using generator: inout SeededGenerator
  ) -> RecordedService {
    let first = number * 0x100 + 1
    var service = RecordedService(uuid: BluetoothUUID(short: 0xff00 + number), handle: first)
    service.isPrimary = Bool.random(using: &generator)
    service.characteristics = (0..<3 as Range<UInt16>).map { index in
      // Both services have the first one.
      let uuid: UInt16 = index == 0 ? 0xffe0 : 0xffe0 + number + index
      var one = RecordedCharacteristic(
        uuid: BluetoothUUID(short: uuid), handle: first + 10 * index + 2,
        properties: [.read, .write, .notify]
      )
      one.reading = reading(using: &generator)
      var descriptor = RecordedDescriptor(
        uuid: BluetoothUUID(short: 0x2901), handle: first + 10 * index + 4
      )
      descriptor.reading = reading(using: &generator)
      one.descriptors = [descriptor]
      return one
    }
    return service
  }

  private static func recording(seed: UInt64) -> DeviceRecording {
    var generator = SeededGenerator(seed: seed, name: "recordings")
    func octets() -> [UInt8] { Self.octets(using: &generator) }
    var recording = DeviceRecording(
      address: BluetoothAddress(number: 0xc000_0000_0000 | generator.next() >> 20),
      addressType: .random, name: HostileText.random(using: &generator)
    )
    recording.learn(deviceName: HostileText.random(using: &generator))
    recording.unknown = [HostileText.random(using: &generator)]
    var advertisement = RecordedAdvertisement()
    advertisement.hasName = Bool.random(using: &generator)
    advertisement.manufacturerData = [.init(0x0499, [1, 2])]
    advertisement.serviceData = [.init(BluetoothUUID(short: 0xffe0), [3])]
    recording.advertisements = Array(
      repeating: advertisement, count: Int.random(in: 1...2, using: &generator)
    )
    recording.services = [1, 2].map { service($0, using: &generator) }
    let handles = recording.characteristics.map(\.handle)
    for second in 0..<12 {
      let handle = handles[Int.random(in: 0..<handles.count, using: &generator)]
      let other = handles[Int.random(in: 0..<handles.count, using: &generator)]
      let isRefused = Int.random(in: 0...3, using: &generator) == 0
      recording.writes.append(
        RecordedWrite(
          handle: handle, octets: octets(), at: .seconds(10 * second),
          error: isRefused ? .valueNotAllowed : nil
        )
      )
      recording.notifications.append(
        RecordedValue(handle: other, octets: octets(), at: .milliseconds(10_000 * second + 50))
      )
    }
    return recording
  }

  @Test(
    "the file of a recording is read as the same nodes, and as a device of its name",
    arguments: 0..<200 as Range<UInt64>
  )
  func readBack(seed: UInt64) throws {
    let recording = Self.recording(seed: seed)
    let document = DeviceText.document(
      of: recording, source: "a test", names: AttributeNames(Self.names),
      unrecorded: seed.isMultiple(of: 2) ? .refuse : nil
    )
    let text = document.lines.joined(separator: "\n")
    let difference = document.difference(from: try Document.parse(text, file: "recorded"))
    #expect(difference == nil, "\(text)")
    let device = try #require(try DeviceFile.parse(text, file: "recorded").first, "\(text)")
    let name = String((recording.name ?? "").prefix { $0 != "\0" })
    if !name.isEmpty, name.utf8.count < 240 { #expect(device.name == name, "\(text)") }
  }
}
