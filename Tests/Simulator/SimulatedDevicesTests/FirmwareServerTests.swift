// The shipped device whose firmware is replaced over SMP, updated as MCUmgr's tools do it.

import Bluetooth
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Firmware over SMP")
struct FirmwareServerTests {
  /// Sends requests as a client does.
  struct Client {
    let bench: DeviceBench
    let smp: UInt16

    init(_ change: (inout FirmwareDefinition) -> Void = { _ in }) throws {
      var definition = try ShippedDeviceTests().definition("smp-update.yaml")
      var firmware = try #require(definition.firmware)
      change(&firmware)
      definition.firmware = firmware
      bench = DeviceBench(definition)
      smp = try bench.handle("mcumgr-smp")
      try bench.subscribe(smp)
    }

    /// Lets so many milliseconds pass.
    func pass(_ milliseconds: Int) throws {
      try bench.run(to: Int(bench.loop.now.sinceStart / .milliseconds(1)) + milliseconds)
    }

    /// Sends a frame, in packets of 244 bytes without those that are lost.
    func send(_ frame: SMPFrame, losing lost: Set<Int> = []) throws {
      let octets = frame.encoded
      for (index, start) in stride(from: 0, to: octets.count, by: 244).enumerated()
      where !lost.contains(index) {
        let packet = Array(octets[start..<min(start + 244, octets.count)])
        try bench.device.write(smp, packet, withResponse: false).get()
      }
    }

    /// Sends a request, and returns the body of its response; nil: there is none within 50 ms.
    func ask(
      _ operation: SMPFrame.Operation, _ command: SMPFrame.Command, version: UInt8 = 1,
      _ members: CBORValue.Member...
    ) throws -> CBORValue? {
      let before = bench.sent(on: smp).count
      try send(SMPFrame(operation, command, sequence: 42, version: version, .map(members)))
      try pass(50)
      let octets = bench.sent(on: smp).dropFirst(before).flatMap(\.value)
      guard !octets.isEmpty else { return nil }
      let frame = try SMPFrame(decoding: octets)
      #expect(frame.operation == operation.response)
      #expect(frame.command == command)
      #expect(frame.sequence == 42)
      return frame.body
    }

    /// Uploads from an offset on, 400 bytes at a time, as far as `end`; returns the last response.
    @discardableResult
    func upload(_ image: [UInt8], to end: Int? = nil) throws -> CBORValue? {
      var offset = 0
      var answer: CBORValue?
      repeat {
        let data = CBORValue.Member("data", .octets(Array(image[offset...].prefix(400))))
        let place = CBORValue.Member("off", .integer(Int64(offset)))
        answer =
          offset > 0
          ? try ask(.write, .imageUpload, place, data)
          : try ask(
            .write, .imageUpload, place, data, .init("len", .integer(Int64(image.count))),
            .init("sha", .octets(SHA256.digest(of: image)))
          )
        guard let next = answer?["off"]?.integer else { return answer }
        offset = Int(next)
      } while offset < end ?? image.count
      return answer
    }

    /// The slots: `1.0.0 active confirmed`.
    func slots() throws -> [String] {
      let images = try ask(.read, .imageState)?["images"]?.list ?? []
      return images.map { image in
        let flags = ["active", "confirmed", "pending", "permanent"]
          .filter { image[$0]?.truth == true }
        return ([image["version"]?.text ?? "?"] + flags).joined(separator: " ")
      }
    }

    func set(_ image: [UInt8], confirm: Bool) throws -> CBORValue? {
      try ask(
        .write, .imageState, .init("hash", .octets(MCUbootImage(image).hash)),
        .init("confirm", .truth(confirm))
      )
    }

    /// Resets the device, and connects again.
    func reset() throws {
      #expect(try ask(.write, .reset) == .map([]))
      bench.device.linkDown()
      try pass(3500)
      bench.device.linkUp()
      try bench.subscribe(smp)
    }

    var revision: String {
      get throws {
        String(
          decoding: try bench.read(bench.handle("firmware-revision-string")), as: UTF8.self
        )
      }
    }
  }

  private let image = MCUbootImage.octets(
    FirmwareVersion(2, 0, 0), body: (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  )

  private func code(_ answer: CBORValue?) -> Int64? {
    (answer?["err"]?["rc"] ?? answer?["rc"])?.integer
  }

  @Test("an image is uploaded, tested, started and confirmed")
  func update() throws {
    let client = try Client()
    #expect(try client.ask(.read, .parameters)?["buf_size"]?.integer == 1024)
    #expect(try client.slots() == ["1.0.0 active confirmed"])
    #expect(try client.upload(image)?["match"]?.truth == true)
    #expect(try client.slots() == ["1.0.0 active confirmed", "2.0.0"])
    _ = try client.set(image, confirm: false)
    #expect(try client.slots() == ["1.0.0 active confirmed", "2.0.0 pending"])
    #expect(try client.revision == "1.0.0")
    try client.reset()
    #expect(try client.slots() == ["2.0.0 active", "1.0.0 confirmed"])
    #expect(try client.revision == "2.0.0")
    _ = try client.ask(.write, .imageState, .init("confirm", .truth(true)))
    try client.reset()
    #expect(try client.slots() == ["2.0.0 active confirmed", "1.0.0"])
  }

  @Test("an image that is not confirmed is replaced by the one before at the next reset")
  func notConfirmed() throws {
    let client = try Client()
    try client.upload(image)
    _ = try client.set(image, confirm: false)
    try client.reset()
    try client.reset()
    #expect(try client.slots() == ["1.0.0 active confirmed", "2.0.0"])
    #expect(try client.revision == "1.0.0")
  }

  @Test("a request after a reset is refused as busy, and the device starts once")
  func resetting() throws {
    let client = try Client()
    try client.upload(image)
    _ = try client.set(image, confirm: false)
    #expect(try client.ask(.write, .reset) == .map([]))
    #expect(try code(client.ask(.write, .reset)) == 10)
    client.bench.device.linkDown()
    try client.pass(4000)
    client.bench.device.linkUp()
    try client.bench.subscribe(client.smp)
    #expect(try client.slots() == ["2.0.0 active", "1.0.0 confirmed"])
  }

  @Test("an upload is resumed where the connection was lost, and begins anew after a reset")
  func resumed() throws {
    let client = try Client()
    try client.upload(image, to: 2000)
    client.bench.device.linkDown()
    client.bench.device.linkUp()
    try client.bench.subscribe(client.smp)
    let first = try client.upload(image, to: 1)
    #expect(first?["off"]?.integer == 2000)
    try client.reset()
    #expect(try client.upload(image, to: 1)?["off"]?.integer == 400)
    #expect(try client.upload(image)?["match"]?.truth == true)
    // The second slot has it already.
    let again = try client.upload(image, to: 1)
    #expect(again?["off"]?.integer == Int64(image.count))
  }

  @Test("data for another offset is dropped, and the response names the expected one")
  func strict() throws {
    let client = try Client()
    try client.upload(image, to: 800)
    let answer = try client.ask(
      .write, .imageUpload, .init("off", .integer(1200)), .init("data", .octets([1, 2, 3]))
    )
    #expect(answer == .map([.init("off", .integer(800))]))
  }

  @Test("a frame with a lost packet has no response, nor the next one")
  func lost() throws {
    let client = try Client()
    let long = CBORValue.Member("d", .text(String(repeating: "a", count: 600)))
    try client.send(SMPFrame(.write, .echo, sequence: 1, .map([long])), losing: [2])
    try client.pass(50)
    #expect(client.bench.sent(on: client.smp).isEmpty)
    #expect(try client.ask(.write, .echo, long) == nil)
    #expect(try client.ask(.write, .echo, long)?["r"]?.text?.count == 600)
  }

  @Test("more frames than there are buffers are dropped")
  func buffers() throws {
    let client = try Client { $0.buffers = 2 }
    for sequence in 0..<5 {
      try client.send(
        SMPFrame(.write, .echo, sequence: UInt8(sequence), .map([.init("d", .text("hi"))]))
      )
    }
    try client.pass(50)
    #expect(client.bench.sent(on: client.smp).map { $0.value[6] } == [0, 1])
  }

  @Test("an image that is damaged, too large or not newer is refused, with the code of the reason")
  func refused() throws {
    let client = try Client { $0.slotSize = 6000 }
    var damaged = image
    damaged[100] ^= 1
    #expect(try client.upload(damaged)?["match"]?.truth == true)
    #expect(try client.slots() == ["1.0.0 active confirmed"])
    let large = MCUbootImage.octets(
      FirmwareVersion(2, 0, 0), body: Array(repeating: 0, count: 6000))
    #expect(try code(client.upload(large)) == 30)
    #expect(try code(client.upload(Array(repeating: 0, count: 100))) == 23)
    let old = MCUbootImage.octets(FirmwareVersion(1, 0, 0), body: [1])
    let upgrade = try client.ask(
      .write, .imageUpload, .init("off", .integer(0)), .init("data", .octets(old)),
      .init("len", .integer(Int64(old.count))), .init("upgrade", .truth(true))
    )
    #expect(code(upgrade) == 27)
    #expect(try code(client.set(old, confirm: false)) == 8)
    #expect(try code(client.ask(.write, .imageUpload, .init("data", .octets([1])))) == 20)
    #expect(try code(client.ask(.read, .init(9, 9))) == 8)
  }

  @Test("a device that refuses images denies access, also in the original protocol")
  func denied() throws {
    let client = try Client { $0.isRefusing = true }
    #expect(try client.upload(image) == .map([.init("rc", .integer(11))]))
    let old = try client.ask(.write, .imageUpload, version: 0, .init("data", .octets([1])))
    #expect(old == .map([.init("rc", .integer(3))]))
  }

  @Test(
    "a new image that crashes is replaced by the one before, and one that hangs never comes back")
  func badImages() throws {
    let crashing = try Client { $0.start = .reverts }
    try crashing.upload(image)
    _ = try crashing.set(image, confirm: false)
    try crashing.reset()
    #expect(try crashing.slots() == ["1.0.0 active confirmed", "2.0.0"])
    let hanging = try Client { $0.start = .hangs }
    let seen = Guarded<[DevicePresence]>([])
    hanging.bench.device.onPresence { presence in seen.withLock { $0.append(presence) } }
    try hanging.upload(image)
    _ = try hanging.set(image, confirm: true)
    _ = try hanging.ask(.write, .reset)
    try hanging.pass(100_000)
    #expect(seen.withLock { $0 } == [.leaves])
  }

  @Test(
    "damaged frames are answered with an error or dropped, and the device responds afterwards",
    arguments: 0..<4 as Range<UInt64>
  )
  func damaged(seed: UInt64) throws {
    let client = try Client()
    var generator = SeededGenerator(seed: seed, name: "frames")
    let members: [CBORValue.Member] = [
      .init("off", .integer(0)), .init("len", .integer(Int64(image.count))),
      .init("data", .octets(Array(image[..<100]))), .init("sha", .octets([1, 2, 3])),
    ]
    let frames = [
      SMPFrame(.write, .imageUpload, sequence: 1, .map(members)),
      SMPFrame(.read, .imageState, sequence: 2),
      SMPFrame(.write, .imageState, sequence: 3, .map([.init("hash", .octets([1]))])),
      SMPFrame(.write, .echo, sequence: 4, .map([.init("d", .text("hello"))])),
    ]
    for _ in 0..<500 {
      var octets = try #require(frames.randomElement(using: &generator)).encoded
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<octets.count, using: &generator)
        octets[place] = UInt8.random(in: 0...255, using: &generator)
      }
      octets = Array(octets.prefix(Int.random(in: 1...244, using: &generator)))
      try client.bench.device.write(client.smp, octets, withResponse: false).get()
      try client.pass(10)
    }
    // A frame may have become a reset. A new connection begins without an incomplete frame.
    try client.pass(4000)
    client.bench.device.linkDown()
    client.bench.device.linkUp()
    try client.bench.subscribe(client.smp)
    #expect(
      try client.ask(.write, .echo, .init("d", .text("hi"))) == .map([.init("r", .text("hi"))])
    )
  }

  @Test("after an update the device may have another address")
  func nextAddress() throws {
    let next = BluetoothAddress(number: 0xc0ff_ee00_00ff)
    let client = try Client { $0.nextAddress = next }
    let device = client.bench.device
    try client.upload(image)
    _ = try client.set(image, confirm: false)
    #expect(device.airAddress().address == device.definition.address)
    try client.reset()
    #expect(device.airAddress().address == next)
  }

  @Test("firmware without the characteristic of SMP, and an invalid version, are errors")
  func complaints() {
    let found = DeviceText.complaints("firmware: { version: 1.0 }")
    #expect(found.count == 2)
    #expect(found.contains { $0.contains("expected a version such as 1.2.3, or 1.2.3.4") })
    #expect(found.contains { $0.contains("the device has no characteristic mcumgr-smp") })
  }
}
