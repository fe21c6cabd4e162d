// The update over SMP, on a model of a device: every packet lost, every connection dropped, every
// kill.

import Signals
import Testing

@testable import Bluetooth

@Suite("Firmware updates")
struct FirmwareUpdateTests {
  private static func image(_ major: UInt8, bytes: Int = 2000) -> [UInt8] {
    MCUbootImage.octets(
      FirmwareVersion(major, 0, 0), body: (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 13) })
  }

  private func played(
    _ image: [UInt8] = image(2), on device: ModelDevice? = nil,
    _ change: (inout FirmwareUpdate.Goal) -> Void = { _ in }
  ) throws -> PlayedUpdate {
    var goal = try FirmwareUpdate.Goal(image)
    change(&goal)
    return PlayedUpdate(goal, on: try device ?? ModelDevice(FirmwareVersion(1, 0, 0)))
  }

  private func report(_ ending: FirmwareUpdate.Action?) throws -> FirmwareUpdate.Report {
    guard case .finish(let report)? = ending else {
      Issue.record("\(String(describing: ending))")
      throw Failed()
    }
    return report
  }

  private struct Failed: Error {}

  /// Expects that the image runs, and is confirmed.
  private func expectUpdated(
    _ played: PlayedUpdate, _ what: String, to image: [UInt8] = image(2)
  ) {
    #expect(played.device.running.octets == image, "\(what)")
    #expect(played.device.isConfirmed, "\(what)")
  }

  @Test("uploads, tests, resets, and confirms what runs then")
  func updates() throws {
    var played = try played()
    let report = try report(played.play())
    expectUpdated(played, "")
    #expect(
      played.device.commands == [
        "read 0.6", "read 1.0", "write 1.1", "read 1.0", "write 1.0", "write 0.5", "read 1.0",
        "write 1.0",
      ]
    )
    let size = Self.image(2).count
    #expect(report.outcome == .confirmed)
    #expect(report.before == "1.0.0")
    #expect(report.after == "2.0.0")
    #expect(report.bytes == size)
    #expect(report.uploading > .zero)
    #expect(played.device.dataSent == size)
    #expect(played.reconnections == [.restart])
    #expect(played.progress.last?.offset == size)
  }

  @Test("an image that runs and is confirmed is not uploaded again")
  func current() throws {
    var played = try played(Self.image(2), on: ModelDevice(FirmwareVersion(1, 0, 0)))
    _ = try played.play()
    var again = try self.played(Self.image(2), on: played.device)
    #expect(try report(again.play()).outcome == .current)
    #expect(again.device.dataSent == played.device.dataSent)
    #expect(again.reconnections.isEmpty)
  }

  @Test("an older image, and another one of the same version, need permission", arguments: [1, 2])
  func downgrade(major: UInt8) throws {
    let device = try ModelDevice(FirmwareVersion(2, 0, 0))
    var refused = try played(Self.image(major), on: device)
    let hash = device.running.image.hash
    #expect(try refused.play() == .fail(.notNewer(running: "2.0.0", hash: hash)))
    #expect(refused.device.dataSent == 0)
    var allowed = try played(Self.image(major), on: device) { $0.allowsDowngrade = true }
    #expect(try report(allowed.play()).after == "\(major).0.0")
    expectUpdated(allowed, "", to: Self.image(major))
  }

  @Test("any lost packet is sent again")
  func lostPackets() throws {
    var whole = try played()
    _ = try whole.play()
    for number in 1...whole.packets {
      var played = try played()
      played.lostPackets = [number]
      _ = try report(played.play())
      expectUpdated(played, "packet \(number)")
    }
  }

  @Test(
    "packets that are lost again and again do not end the update", arguments: [7, 11, 20, 50]
  )
  func everyPacket(number: Int) throws {
    let image = Self.image(2, bytes: 20_000)
    var played = try played(image)
    played.lostPackets = Set(stride(from: number, to: 10_000, by: number))
    _ = try report(played.play())
    expectUpdated(played, "", to: image)
  }

  @Test("lost packets do not narrow the window until their deadlines")
  func rateWithLosses() throws {
    let image = Self.image(2, bytes: 20_000)
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.buffer = (120, 4)
    var whole = try played(image, on: device)
    let time = try report(whole.play()).uploading
    var played = try played(image, on: device)
    played.lostPackets = Set(stride(from: 20, to: 10_000, by: 20))
    let lossy = try report(played.play())
    expectUpdated(played, "", to: image)
    // Each loss costs a window, that is, three requests of twenty.
    #expect(lossy.uploading < time * 2, "\(lossy.uploading), \(time) without losses")
  }

  @Test("any lost response is replaced by another one")
  func lostResponses() throws {
    var whole = try played()
    _ = try whole.play()
    for number in 1...whole.responses {
      var played = try played()
      played.lostResponses = [number]
      _ = try report(played.play())
      expectUpdated(played, "response \(number)")
    }
  }

  @Test("after a connection that is lost anywhere, the upload continues where the device is")
  func drops() throws {
    var whole = try played()
    _ = try whole.play()
    let size = Self.image(2).count
    for number in 1...whole.packets {
      var played = try played()
      played.drops = [number]
      let report = try report(played.play())
      expectUpdated(played, "packet \(number)")
      #expect(report.outcome == .confirmed)
      // The first data is sent once more, and what was on its way.
      #expect(played.device.dataSent <= size + 5 * 300, "packet \(number)")
    }
  }

  @Test("an update that was killed anywhere is completed by the next one")
  func kills() throws {
    var whole = try played()
    _ = try whole.play()
    let size = Self.image(2).count
    for number in 1...whole.packets {
      var killed = try played()
      killed.killedAt = number
      #expect(try killed.play() == nil)
      killed.device.disconnect()
      var next = try played(on: killed.device)
      let report = try report(next.play())
      expectUpdated(next, "packet \(number)")
      #expect(report.after == "2.0.0")
      #expect(next.device.dataSent <= size + 5 * 300, "packet \(number)")
    }
  }

  @Test("losses in a row that carry nothing on end the update")
  func lossesInARow() throws {
    var played = try played()
    played.drops = Set(1...100)
    #expect(try played.play() == .fail(.linkLost(times: 6)))
  }

  @Test("a device that does not state its buffers gets frames of one packet, one at a time")
  func noParameters() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.buffer = nil
    var played = try played(on: device)
    _ = try report(played.play())
    expectUpdated(played, "")
    let longest = played.device.requests.map(\.encoded.count).max() ?? 0
    #expect(longest <= played.packet)
  }

  @Test("a device that does not join packets gets short frames after the first one is not answered")
  func short() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.joinsPackets = false
    var update = try FirmwareUpdate(FirmwareUpdate.Goal(Self.image(2)))
    var (now, events) = (Instant.start, [FirmwareUpdate.Event.connected(packet: 200)])
    var longest = 0
    var ending: FirmwareUpdate.Action?
    while ending == nil {
      if events.isEmpty {
        now = try #require(update.deadline)
        events = [.elapsed]
      }
      for action in update.apply(events.removeFirst(), at: now) {
        switch action {
        case .send(let packet):
          // A packet that is no frame by itself is dropped.
          let total = SMPHeader(packet)?.total ?? 0
          guard total == packet.count, let response = device.receive(packet) else { continue }
          longest = max(longest, packet.count)
          events.append(.received(response))
          if device.requests.last?.command == .reset {
            device.restart()
            events.append(.lost)
          }
        case .reconnect: events = [.connected(packet: 200)]
        case .progress: break
        case .disconnect: events = [.lost]
        case .finish, .fail: ending = action
        }
      }
    }
    #expect(try report(ending).outcome == .confirmed)
    #expect(longest <= 200)
    #expect(now >= .start + .seconds(40))
  }

  @Test("the disconnections of the update itself are no lost links, and a small MTU is named")
  func smallPackets() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.joinsPackets = false
    var played = try played(on: device)
    played.packet = 97
    #expect(try played.play() == .fail(.packetTooShort(bytes: 97, needed: 98)))
    #expect(played.disconnects == 7)
    #expect(played.device.dataSent == 0)
  }

  @Test("a device that joins packets is updated with a small MTU")
  func smallJoinedPackets() throws {
    var played = try played()
    played.packet = 20
    #expect(try report(played.play()).outcome == .confirmed)
    expectUpdated(played, "")
  }

  @Test("a response with a damaged length does not swallow those to the repeated requests")
  func damagedLength() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    var update = try FirmwareUpdate(FirmwareUpdate.Goal(Self.image(2)))
    _ = update.apply(.connected(packet: 200), at: .start)
    #expect(update.apply(.received([0x09, 0, 0xff, 0xff, 0, 0, 0, 6]), at: .start).isEmpty)
    let deadline = try #require(update.deadline)
    guard case .send(let packet)? = update.apply(.elapsed, at: deadline).first,
      let response = device.receive(packet),
      case .send(let next)? = update.apply(.received(response), at: deadline).first
    else {
      Issue.record("the response to the repeated request was not understood")
      return
    }
    #expect(SMPHeader(next)?.command == .imageState)
  }

  @Test("an image number that the device does not list is named, with those that it lists")
  func noImage() throws {
    var played = try played { $0.number = 1 }
    #expect(try played.play() == .fail(.noImage(listed: [0])))
    #expect(played.device.dataSent == 0)
  }

  @Test("an image that does not start is not confirmed, and the version that runs is named")
  func reverts() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.reverts = true
    var played = try played(on: device)
    #expect(try played.play() == .fail(.notStarted(running: "1.0.0")))
    #expect(played.device.isConfirmed)
  }

  @Test("without confirmation the image is only tested; a second update confirms it")
  func tested() throws {
    var first = try played { $0.confirms = false }
    #expect(try report(first.play()).outcome == .tested)
    #expect(!first.device.isConfirmed)
    var second = try played(on: first.device)
    let report = try report(second.play())
    #expect(report.outcome == .confirmed)
    #expect(report.before == "1.0.0")
    #expect(report.bytes == 0)
    expectUpdated(second, "")
  }

  @Test("the trial of the image is known from the request for it until the confirmation")
  func trial() throws {
    var whole = try played()
    _ = try whole.play()
    #expect(whole.update.trial == nil)
    var trials: [FirmwareUpdate.Trial?] = []
    for number in 1...whole.packets {
      var killed = try played()
      killed.killedAt = number
      _ = try killed.play()
      if trials.last != killed.update.trial { trials.append(killed.update.trial) }
    }
    #expect(trials == [nil, .marked, .started])
  }

  @Test("an image that was marked before is known to be on trial, one that is refused is not")
  func trialBefore() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.other = try ModelDevice.Stored(Self.image(2))
    device.refusals[.reset] = ModelDevice.error(8)
    device.isPending = true
    var marked = try played(on: device)
    _ = try marked.play()
    #expect(marked.update.trial == .marked)
    device.isPending = false
    device.refusesTest = true
    var refused = try played(on: device)
    _ = try refused.play()
    #expect(refused.update.trial == nil)
    var tested = try played { $0.confirms = false }
    _ = try tested.play()
    #expect(tested.update.trial == .started)
  }

  @Test("a device that stays connected after the reset is disconnected, and asked again")
  func noReset() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.ignoresReset = true
    var played = try played(on: device)
    #expect(try played.play() == .fail(.notReset))
    #expect(played.disconnects == 2)
    #expect(played.reconnections == [.restart, .restart])
  }

  @Test("a device that accepts no data ends the update")
  func stuck() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.acceptsData = false
    var played = try played(on: device)
    #expect(try played.play() == .fail(.stuck(offset: 0)))
    #expect(played.device.dataSent < 3000)
  }

  @Test("the board is compared where one is wanted")
  func board() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    var silent = try played(on: device) { $0.board = "nrf52840dk" }
    #expect(try silent.play() == .fail(.noBoard))
    device.board = "nrf5340dk"
    var other = try played(on: device) { $0.board = "nrf52840dk" }
    #expect(try other.play() == .fail(.wrongBoard(found: "nrf5340dk")))
    #expect(other.device.dataSent == 0)
    device.board = "nrf52840dk"
    var same = try played(on: device) { $0.board = "nrf52840dk" }
    #expect(try report(same.play()).outcome == .confirmed)
  }

  @Test("the board is compared, too, when the connection is lost at any packet before the answer")
  func boardAfterLoss() throws {
    for number in 1...3 {
      var device = try ModelDevice(FirmwareVersion(1, 0, 0))
      device.board = "nrf5340dk"
      var other = try played(on: device) { $0.board = "nrf52840dk" }
      other.drops = [number]
      #expect(try other.play() == .fail(.wrongBoard(found: "nrf5340dk")), "packet \(number)")
      device.board = "nrf52840dk"
      var same = try played(on: device) { $0.board = "nrf52840dk" }
      same.drops = [number]
      #expect(try report(same.play()).outcome == .confirmed, "packet \(number)")
    }
  }

  @Test("each connection before the reset compares the board, and the new image need not state one")
  func boardOfEachDevice() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.board = "nrf52840dk"
    var whole = try played(on: device) { $0.board = "nrf52840dk" }
    _ = try report(whole.play())
    #expect(whole.device.requests.count { $0.command == .information } == 1)
    var dropped = try played(on: device) { $0.board = "nrf52840dk" }
    dropped.drops = [10]
    _ = try report(dropped.play())
    #expect(dropped.device.requests.count { $0.command == .information } == 2)
  }

  @Test("a confirmation whose response was lost with the connection is that of this update")
  func lostConfirmation() throws {
    var device = try ModelDevice(FirmwareVersion(2, 0, 0))
    device.running = try ModelDevice.Stored(Self.image(2))
    device.isConfirmed = false
    var played = try played(on: device)
    // The parameters, the images, the confirmation.
    played.drops = [3]
    let report = try report(played.play())
    #expect(played.device.commands.count { $0 == "write 1.0" } == 1)
    #expect(report.outcome == .confirmed)
  }

  @Test(
    "an upload counts all its bytes, although its last response was lost")
  func lostLastResponse() throws {
    var whole = try played()
    let bytes = try report(whole.play()).bytes
    let last = try #require(whole.device.requests.lastIndex { $0.body["data"] != nil })
    var played = try played()
    played.drops = [last + 1]
    let report = try report(played.play())
    #expect(report.bytes == bytes)
    #expect(report.uploading > .zero)
  }

  @Test("after a lost connection, a device that runs another image is not the same one")
  func otherDevice() throws {
    var played = try played()
    played.killedAt = 12
    _ = try played.play()
    var update = played.update
    #expect(update.apply(.lost, at: .start) == [.reconnect(.loss)])
    played.update = update
    played.device.running = try ModelDevice.Stored(Self.image(1))
    played.killedAt = nil
    #expect(try played.play() == .fail(.otherDevice))
  }

  @Test(
    "a refusal names its group, its code and the meaning",
    arguments: [
      (ModelDevice.error(10), "the device is busy (code 10)"),
      (ModelDevice.error(200), "unknown error (code 200)"),
      (
        .map([
          .init("err", .map([.init("group", .integer(1)), .init("rc", .integer(30))]))
        ]), "the image is too large for the slot (group 1, code 30)"
      ),
      (
        .map([
          .init("err", .map([.init("group", .integer(77)), .init("rc", .integer(3))]))
        ]), "unknown error (group 77, code 3)"
      ),
    ] as [(CBORValue, String)]
  )
  func refused(body: CBORValue, text: String) throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.refusals[.imageUpload] = body
    var played = try played(on: device)
    guard case .fail(.refused(.imageUpload, let refusal))? = try played.play() else {
      Issue.record("the upload was not refused")
      return
    }
    #expect(refusal.description == text)
  }

  @Test("no response, and one that cannot be read, end the update with the command")
  func unanswered() throws {
    var update = try FirmwareUpdate(FirmwareUpdate.Goal(Self.image(2)))
    _ = update.apply(.connected(packet: 100), at: .start)
    var ending: [FirmwareUpdate.Action] = []
    while let deadline = update.deadline { ending = update.apply(.elapsed, at: deadline) }
    #expect(ending == [.fail(.unanswered(.imageState))])
    var other = try FirmwareUpdate(FirmwareUpdate.Goal(Self.image(2)))
    _ = other.apply(.connected(packet: 100), at: .start)
    let actions = other.apply(.received([9, 0, 0, 1, 0, 0, 0, 6, 0xff]), at: .start)
    guard case .fail(.invalidResponse(.parameters, _))? = actions.first else {
      Issue.record("\(actions)")
      return
    }
  }

  @Test(
    "any number of buffers is survived, and any size that is none or enough",
    arguments: [Int.min, -1, 0, 98, 300, 70_000, Int.max]
  )
  func buffers(number: Int) throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.buffer = (number, Int64(number))
    var played = try played(on: device)
    _ = try report(played.play())
    expectUpdated(played, "")
  }

  @Test(
    "a buffer without room for the first data ends the update before it is sent",
    arguments: [57, 64, 97]
  )
  func smallBuffer(size: Int) throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.buffer = (size, 4)
    var played = try played(on: device)
    #expect(try played.play() == .fail(.bufferTooSmall(bytes: size, needed: 98)))
    #expect(played.device.dataSent == 0)
    #expect(played.now < .start + .seconds(1))
    // What needs no upload is done.
    device.other = try ModelDevice.Stored(Self.image(2))
    var uploaded = try self.played(on: device)
    #expect(try report(uploaded.play()).outcome == .confirmed)
  }

  @Test("the number of the image needs room, too")
  func smallBufferForNumber() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.buffer = (98, 4)
    device.number = 1
    var played = try played(on: device) { $0.number = 1 }
    #expect(try played.play() == .fail(.bufferTooSmall(bytes: 98, needed: 105)))
  }

  @Test(
    "the data fills the buffer, and no frame is longer", arguments: [98, 120, 278, 279, 280, 320]
  )
  func fills(size: Int) throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.buffer = (size, 4)
    var played = try played(on: device)
    _ = try report(played.play())
    let data = played.device.requests.filter { $0.body["data"] != nil }.map(\.encoded.count)
    #expect(data.max() ?? 0 <= size)
    #expect(data.dropLast().allSatisfy { $0 >= size - 2 }, "\(data)")
  }

  @Test("an upload that is repeated in frames of one packet stays within the buffer")
  func smallBufferAgain() throws {
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    device.buffer = (150, 4)
    device.lostUploads = 1
    var played = try played(on: device)
    played.packet = 244
    #expect(try report(played.play()).outcome == .confirmed)
  }

  @Test(
    "responses with wrong bytes end the update, or not, and nothing else",
    arguments: UInt64(0)..<100)
  func hostile(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed, name: "device")
    var device = try ModelDevice(FirmwareVersion(1, 0, 0))
    let image = Self.image(2)
    var update = try FirmwareUpdate(FirmwareUpdate.Goal(image))
    var (now, events) = (Instant.start, [FirmwareUpdate.Event.connected(packet: 120)])
    for _ in 0..<5000 {
      if events.isEmpty {
        now = max(now, try #require(update.deadline))
        events = [.elapsed]
      }
      for action in update.apply(events.removeFirst(), at: now) {
        switch action {
        case .send(let packet):
          #expect(packet.count <= 120)
          guard var response = device.receive(packet) else { continue }
          if Int.random(in: 0..<4, using: &generator) == 0 {
            let index = response.indices.randomElement(using: &generator) ?? 0
            response[index] = UInt8.random(in: 0...255, using: &generator)
          }
          events.append(.received(response))
        case .progress(let offset): #expect((0...image.count).contains(offset))
        case .disconnect: events = [.lost]
        case .reconnect: events = [.connected(packet: 120)]
        case .finish, .fail:
          #expect(update.apply(.elapsed, at: now).isEmpty)
          return
        }
      }
    }
    Issue.record("the update does not end")
  }

  @Test("progress is reported once a second, and at the end")
  func progress() throws {
    let image = Self.image(2, bytes: 100_000)
    var played = try played(image)
    _ = try report(played.play())
    let progress = played.progress
    #expect(progress.count > 2)
    for (one, next) in zip(progress, progress.dropFirst().dropLast()) {
      #expect(next.at - one.at >= .seconds(1))
      #expect(next.offset > one.offset)
    }
    #expect(progress.last?.offset == image.count)
  }
}
