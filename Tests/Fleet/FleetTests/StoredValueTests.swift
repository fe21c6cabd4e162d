// Stored values keep their format, and foreign ones are validated like files.

import Bluetooth
import Fleet
import Signals
import Testing

@Suite("Values in the store")
struct StoredValueTests {
  private static let address = BluetoothAddress(number: 0xc0ff_ee00_0001)
  private static let digest = String(repeating: "0f", count: 32)

  private static var claim: Claim? {
    JobID("job-1").map { job in
      var claim = Claim(
        job: job, owner: "hall-1", nonce: "n-1", epoch: 41, lease: .seconds(15),
        successorOf: "hall-2"
      )
      claim.renewal = 3
      return claim
    }
  }

  private static func values() throws -> [(StoreKey, StoredValue)] {
    let id = try #require(JobID("job-1"))
    var queued = QueuedJob(id)
    queued.isArmed = true
    var job = FleetJob(
      id: id, device: address, chain: digest, submitter: "desk", deadline: .milliseconds(90_500)
    )
    job.values = ["limit": "20", "name": "null"]
    job.pin = "hall-1"
    job.needs = ["indoor"]
    job.rerun = .idempotent
    var end = EndRecord(.interrupted, owner: "hall-1", nonce: "n-1", step: 3)
    (end.overran, end.events, end.digest, end.detail) = (3, 12, "00ff", "a \"detail\"\n")
    var sighting = Sighting(address: address, rssi: -71)
    sighting.name = "Thermo 1"
    var gateway = GatewayEntry()
    gateway.capabilities = ["indoor"]
    gateway.bonds = [address]
    var chunks = EventChunking(nonce: "n-1")
    _ = try chunks.add("{\"event\":\"run-started\"}", at: .start)
    let last = chunks.flush()
    let chunk = try #require(last)
    let chain = "steps:\n  - read: a\n"
    return [
      (.device(address), .device(DeviceEntry(queue: [queued], claim: claim))),
      (.device(address), .device(DeviceEntry(queue: []))),
      (.job(id), .job(job)), (.chain(of: chain), .chain(chain)),
      (.gateway("hall-1"), .gateway(gateway)),
      (.result(of: id), .record(.ended(end))),
      (.events(of: id), .events(chunk)),
      (.eventsWanted(of: "hall-1"), .eventsWanted(EventRequest(job: id, nonce: "n-1", number: 7))),
      (
        .sightings(of: "hall-1"),
        .sightings(SightingReport(gateway: "hall-1", sightings: [sighting]))
      ),
      (.announcement(of: address), .announcement),
    ]
  }

  @Test("every stored value parses back")
  func forms() throws {
    for (key, value) in try Self.values() {
      let read = try StoredValue(value.text, at: key)
      #expect(read == value, "\(value.text)")
    }
  }

  @Test("a device entry is stored in its exact JSON form")
  func text() throws {
    let entry = DeviceEntry(queue: [QueuedJob(try #require(JobID("job-1")))], claim: Self.claim)
    let claim =
      #"{"job":"job-1","owner":"hall-1","nonce":"n-1","epoch":41,"lease":"15000ms","#
      + #""renewal":3,"successorOf":"hall-2"}"#
    let queue = #"[{"job":"job-1","cancelled":false,"armed":false}]"#
    #expect(StoredValue.device(entry).text == #"{"version":1,"queue":\#(queue),"claim":\#(claim)}"#)
  }

  @Test(
    "an invalid stored value is rejected with the reason",
    arguments: [
      ("{", "device.C0FFEE000001"), ("{\"queue\":[]}", "the key 'version' is missing"),
      ("{\"version\":0,\"queue\":[]}", "version: expected a whole number, found 0"),
      ("version: 1\nqueue: []\n", "invalid JSON at byte 0"),
      ("{\"version\":1}", "the key 'queue' is missing"),
      ("{\"version\":1,\"queue\":{}}", "queue: expected a list of at most"),
      (
        "{\"version\":1,\"queue\":[{\"job\":\"a.b\",\"cancelled\":false,\"armed\":false}]}",
        "'a.b'"
      ),
      (
        "{\"version\":1,\"queue\":[{\"job\":\"a\",\"cancelled\":1,\"armed\":false}]}",
        "true or false"
      ),
    ]
  )
  func foreign(text: String, problem: String) throws {
    let error = #expect(throws: UnreadableValue.self) {
      try StoredValue(text, at: .device(Self.address))
    }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
  }

  @Test("a name with characters beyond the Basic Multilingual Plane is parsed as advertised")
  func names() throws {
    var sighting = Sighting(address: Self.address, rssi: -60)
    sighting.name = "Lamp 💡 \u{10ffff} ä \0"
    let report = StoredValue.sightings(SightingReport(gateway: "hall-1", sightings: [sighting]))
    #expect(try StoredValue(report.text, at: .sightings(of: "hall-1")) == report)
    let escaped = #"""
      {"version":1,"gateway":"hall-1","held":[],"sightings":[
        {"address":"C0:FF:EE:00:00:01","identity":true,"name":"\ud83d\udca1","rssi":-60}]}
      """#
    let read = try StoredValue(escaped, at: .sightings(of: "hall-1"))
    sighting.name = "💡"
    #expect(read == .sightings(SightingReport(gateway: "hall-1", sightings: [sighting])))
  }

  @Test("members of one version and the next can read each other's entries")
  func nextVersion() throws {
    let loop = VirtualTimeLoop()
    let store = MemoryStore(on: loop, seed: 0)
    defer { store.close() }
    let key = StoreKey.device(Self.address)
    let next = #"""
      {"version":2,"colour":{"of":["a",1]},"queue":[
        {"job":"job-1","cancelled":false,"armed":false,"urgent":true}],"claim":null}
      """#
    store.put(next, at: key)
    let entry = DeviceEntry(queue: [QueuedJob(try #require(JobID("job-1")))])
    #expect(store.entries(.one(key)).map(\.value) == [.device(entry)])
    let seen = Guarded<[WatchEvent]>([])
    let watch = store.client("hall-1").watch(.one(key)) { event in
      seen.withLock { $0.append(event) }
    }
    #expect(throws: LoopIdle.self) { try loop.drive { false } }
    store.put("{}", at: key)
    store.put(StoredValue.device(DeviceEntry(queue: [])).text, at: key)
    #expect(throws: LoopIdle.self) { try loop.drive { false } }
    #expect(
      seen.withLock {
        $0.compactMap { if case .entry(let entry) = $0 { entry.value } else { nil } }
      }
      .last == .device(DeviceEntry(queue: []))
    )
    watch.cancel()
    // A gateway only needs the version of such a job, which is kept.
    let id = try #require(JobID("a"))
    let job = FleetJob(
      id: id, device: Self.address, chain: Self.digest, submitter: "desk", deadline: .seconds(60)
    )
    let text = StoredValue.job(job).text.replacing(#""version":1"#, with: #""version":2"#)
    guard case .job(let read) = try StoredValue(text, at: .job(id)) else {
      Issue.record("\(text)")
      return
    }
    #expect(read.format == 2)
    #expect(StoredValue.job(read).text == text)
  }

  @Test("the entry of a gateway of the version before is read, and its state is not known")
  func earlierGateway() throws {
    let text = #"{"version":1,"format":1,"capabilities":["indoor"],"bonds":[],"draining":true}"#
    guard case .gateway(let entry) = try StoredValue(text, at: .gateway("hall")) else {
      Issue.record("\(text)")
      return
    }
    #expect(entry.capabilities == ["indoor"] && entry.isDraining)
    #expect(entry.incarnation == nil && entry.seen == nil && entry.running == nil)
  }

  @Test("the queue, the chain and the deadline are limited")
  func bounds() throws {
    let jobs = (0...DeviceEntry.longestQueue).compactMap { JobID("job-\($0)").map(QueuedJob.init) }
    let long = StoredValue.device(DeviceEntry(queue: jobs)).text
    #expect(throws: UnreadableValue.self) { try StoredValue(long, at: .device(Self.address)) }
    let chain = StoredValue.chain(String(repeating: "a", count: FleetBounds.chain + 1)).text
    let key = StoreKey(.chain, Self.digest)
    #expect(throws: UnreadableValue.self) { try StoredValue(chain, at: key) }
    let id = try #require(JobID("a"))
    let job = FleetJob(
      id: id, device: Self.address, chain: Self.digest, submitter: "desk",
      deadline: .seconds(8 * 24 * 3600)
    )
    #expect(throws: UnreadableValue.self) {
      try StoredValue(StoredValue.job(job).text, at: .job(id))
    }
  }

  @Test("the text of a chain must match the SHA-256 in its key")
  func chainDigest() throws {
    let key = StoreKey.chain(of: "steps: []\n")
    #expect(throws: UnreadableValue.self) {
      try StoredValue(StoredValue.chain("steps:\n").text, at: key)
    }
    #expect(try StoredValue(StoredValue.chain("steps: []\n").text, at: key) != .announcement)
  }

  @Test("keys contain no colons and map back to the address")
  func keys() {
    #expect(StoreKey.device(Self.address).description == "device.C0FFEE000001")
    #expect(StoreKey.device(Self.address).address == Self.address)
    #expect(StoreKey.announcement(of: BluetoothAddress(number: 1)).name == "000000000001")
    #expect(JobID("a:b") == nil && JobID("") == nil && JobID("a-B_9") != nil)
    #expect(JobID(String(repeating: "a", count: 65)) == nil)
  }

  @Test("events are sent after 1 s, or when a chunk is full")
  func chunks() throws {
    var chunks = EventChunking(nonce: "n")
    let none = try chunks.add("a", at: .start)
    let early = chunks.due(at: .start + .milliseconds(999))
    #expect(none == nil && early == nil)
    let due = chunks.due(at: .start + .seconds(1))
    let first = try #require(due)
    #expect(first.number == 0 && first.events == ["a"] && chunks.next == nil)
    let long = String(repeating: "b", count: 40_000)
    let fits = try chunks.add(long, at: .start)
    #expect(fits == nil)
    let full = try chunks.add(long, at: .start)
    let second = try #require(full)
    #expect(second.number == 1 && second.firstEvent == 1 && second.events == [long])
    let third = chunks.flush()
    #expect(third?.firstEvent == 2 && chunks.digest.count == 3)
    #expect(throws: EventTooLong.self) {
      _ = try chunks.add(String(repeating: "c", count: EventChunk.largest), at: .start)
    }
    var same = EventDigest()
    for event in ["a", long, long] { same.add(event) }
    #expect(same == chunks.digest)
  }
}
