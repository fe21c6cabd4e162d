// The responses of the dashboard routes, without a socket.

import Bluetooth
import Dashboard
import Fixtures
import Jobs
import Signals
import Testing
import WebServer

/// Records the requested actions.
private final class NotedActions: DashboardActions {
  let asked = Recorded<String>()

  func watch(_ plan: WatchPlan) throws(DashboardRefusal) -> Int {
    let device = plan.devices[0]
    let names = device.names.joined(separator: " ")
    asked.add("watch \(device.target.text) \(names) \(plan.source) \(plan.view)")
    return 7
  }

  func endWatch(_ id: Int) -> Bool { id == 7 }

  func note(_ text: String) { asked.add("note \(text)") }

  func run(_ name: String, device: String?) throws(DashboardRefusal) -> RunKey {
    guard name == "soil.yaml" else { throw DashboardRefusal("not a chain") }
    asked.add("run \(name) \(device ?? "-")")
    return .recorded(12)
  }

  func runBatch(_ name: String) async throws(DashboardRefusal) -> RunKey {
    guard name == "fleet.yaml" else { throw DashboardRefusal("not a batch") }
    asked.add("batch \(name)")
    return .recorded(12)
  }

  func endRun(_ key: RunKey) -> Bool { key == .recorded(12) }

  func page(of run: Int64) async throws(DashboardRefusal) -> String? {
    run == 12 ? "<!DOCTYPE html><title>run</title>" : nil
  }
}

@Suite("Dashboard routes")
struct DashboardRouteTests {
  private let loop = VirtualTimeLoop()
  private let loopEnd: LoopEnding
  private let actions = NotedActions()
  private let hub: DashboardHub
  private let routes: DashboardRoutes

  init() {
    loopEnd = LoopEnding(loop)
    hub = DashboardHub(Scene().model, on: loop)
    routes = DashboardRoutes(hub, actions, names: .assigned, limit: .seconds(20))
  }

  /// Status and text of an answer.
  private func answer(
    _ method: WebMethod, _ path: String, _ body: String = ""
  ) throws -> (status: Int, text: String) {
    let request = WebRequest(
      method, segments: path.split(separator: "/").map { String($0) }, body: Array(body.utf8)
    )
    let response = try loop.run { [routes] in await routes.answer(request) }
    guard case .bytes(let bytes) = response.body else { return (response.status, "events") }
    return (response.status, String(decoding: bytes, as: UTF8.self))
  }

  @Test(
    "the page and its files contain no inline script and no reference to another site",
    arguments: ["", "style.css", "app.js", "chart.js"]
  )
  func files(path: String) throws {
    let (status, text) = try answer(.get, path)
    #expect(status == 200)
    #expect(!text.contains("http://") && !text.contains("https://"))
    #expect(!text.contains("innerHTML") && !text.contains("style=\"") && !text.contains(" onclick"))
    #expect(try answer(.post, path).status == 405)
  }

  @Test("the login form says if the token was wrong")
  func login() {
    for (isRetry, says) in [(false, false), (true, true)] {
      guard case .bytes(let bytes) = DashboardRoutes.loginPage(isRetry: isRetry).body else {
        Issue.record("not a page")
        continue
      }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("action=\"/login\"") && text.contains("name=\"token\""))
      #expect(text.contains("That is not the token") == says)
    }
  }

  @Test(
    "metrics have the format of Prometheus, or OpenMetrics for a scraper that asks for it",
    arguments: [
      ([], MetricsFormat.prometheus),
      (["text/plain"], .prometheus),
      (["application/openmetrics-text;version=1.0.0"], .openMetrics),
      (["text/plain;q=0.5", "application/openmetrics-text"], .openMetrics),
    ]
  )
  func metrics(accept: [String], format: MetricsFormat) throws {
    let counting = DashboardRoutes(hub, actions, names: .assigned, limit: .seconds(1)) { "\($0)\n" }
    let request = WebRequest(
      .get, segments: ["metrics"], headers: accept.map { .init("accept", $0) }
    )
    let response = try loop.run { await counting.answer(request) }
    #expect(response.contentType == format.contentType)
    #expect(response.headers == [.init("Vary", "Accept")])
    guard case .bytes(let bytes) = response.body else {
      Issue.record("not a text")
      return
    }
    #expect(String(decoding: bytes, as: UTF8.self) == "\(format)\n")
  }

  @Test("a snapshot contains the facts, events are streamed, and unknown paths are not found")
  func reading() throws {
    let snapshot = try answer(.get, "api/snapshot")
    #expect(snapshot.text.hasPrefix(#"{"ordinal":0,"changes":[{"kind":"facts","version":"1""#))
    #expect(try answer(.get, "api/events").text == "events")
    for path in ["nothing", "api/nothing", "api/watches", "runs/x", "runs/13", "metrics"] {
      #expect(try answer(.get, path).status == 404, "\(path)")
    }
    #expect(try answer(.get, "runs/12").text.contains("<title>run</title>"))
  }

  @Test(
    "a watch request is parsed with its source and its view",
    arguments: [
      (
        #"{"device":"HRM-1","characteristics":["battery-level"]}"#,
        "watch HRM-1 battery-level notify"
      ),
      (
        #"{"device":"HRM-1","characteristics":["battery-level","2a37"],"poll":"1m","rate":null}"#,
        "watch HRM-1 battery-level heart-rate-measurement poll(every: 60.0 seconds) values"
      ),
      (
        #"{"device":"C0:FF:EE:00:00:02","characteristics":["battery-level"],"rate":"5s"}"#,
        "watch C0:FF:EE:00:00:02 battery-level notify"
      ),
      (
        #"{"device":"HRM-1","characteristics":["rssi","battery-level"]}"#,
        "watch HRM-1 battery-level rssi notify"
      ),
    ]
  )
  func watches(body: String, asked: String) throws {
    let (status, text) = try answer(.post, "api/watches", body)
    #expect(status == 201 && text == #"{"watch":7}"#)
    #expect(actions.asked.all.first?.hasPrefix(asked) == true, "\(actions.asked.all)")
  }

  @Test(
    "an invalid request is answered with the reason, and nothing is started",
    arguments: [
      ("api/watches", "{}", "the key 'device' is missing"),
      ("api/watches", "", "the file is empty"),
      ("api/watches", "{", "invalid YAML"),
      (
        "api/watches", #"{"device":"HRM-1","characteristics":["batery-level"]}"#,
        "did you mean 'battery-level'"
      ),
      ("api/watches", #"{"device":"HRM-1","characteristics":[]}"#, "expected a characteristic"),
      (
        "api/watches", #"{"device":"HRM-1","characteristics":["battery-level"],"poll":"1ms"}"#,
        "a duration from 100ms to 24h"
      ),
      ("api/watches", #"{"device":"","characteristics":["battery-level"]}"#, "is empty"),
      ("api/notes", #"{"text":""}"#, "a text of at most 200 characters"),
      ("api/runs", #"{"chain":"../etc/passwd"}"#, "not a chain"),
      ("api/runs", #"{"chain":"soil.yaml","extra":1}"#, "unknown key 'extra'"),
      ("api/batches", "{}", "batch"),
      ("api/batches", #"{"batch":"../fleet.yaml"}"#, "not a batch"),
      ("api/batches", #"{"batch":["fleet.yaml"]}"#, "expected the file of a batch"),
      ("api/batches", #"{"batch":"fleet.yaml","device":"S-1"}"#, "unknown key 'device'"),
    ]
  )
  func refused(path: String, body: String, why: String) throws {
    let (status, text) = try answer(.post, path, body)
    #expect(status == 400)
    #expect(text.contains(why), "\(text)")
    #expect(actions.asked.all.isEmpty)
  }

  @Test("watches and runs are ended by number, and unknown numbers are not found")
  func ending() throws {
    #expect(try answer(.delete, "api/watches/7").status == 204)
    #expect(try answer(.delete, "api/watches/8").status == 404)
    #expect(try answer(.delete, "api/runs/12").status == 204)
    #expect(try answer(.delete, "api/runs/u12").status == 404)
    #expect(try answer(.post, "api/runs", #"{"chain":"soil.yaml","device":"S-1"}"#).status == 201)
    #expect(actions.asked.all == ["run soil.yaml S-1"])
  }

  @Test("a batch is started by its file and identified by its run")
  func batch() throws {
    let (status, text) = try answer(.post, "api/batches", #"{"batch":"fleet.yaml"}"#)
    #expect(status == 201)
    #expect(text == #"{"run":"12"}"#)
    #expect(actions.asked.all == ["batch fleet.yaml"])
  }

  @Test("changes at the same time are sent as one event, and no event is sent without a change")
  func events() throws {
    let feed = hub.events()
    try loop.run { [hub, loop] in
      for index in 0..<100 { hub.receive(.seen(Scene.advertisement(index % 3, rssi: -50))) }
      try await loop.sleep(for: .seconds(1))
      hub.receive(.note("later"))
      try await loop.sleep(for: .seconds(1))
    }
    #expect(feed.missed == 0)
    #expect(hub.snapshot().ordinal == 2)
  }

  @Test("a browser that reads nothing takes a bounded queue, and the missed events are counted")
  func slowBrowser() throws {
    let feed = hub.events()
    try loop.run { [hub, loop] in
      for _ in 0..<2_000 {
        hub.receive(.note("again"))
        try await loop.sleep(for: DashboardHub.pause * 2)
      }
    }
    #expect(feed.missed == 2_000 - 512)
  }
}
