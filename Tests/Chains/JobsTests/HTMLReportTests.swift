// The page of runs: its structure, on runs of scripted devices.
//
// How a browser displays it is tested with the command.

import Bluetooth
import Documents
import Foundation
import FoundationXML
import Testing

@testable import Jobs
@testable import Reports

@Suite("The HTML report")
struct HTMLReportTests {
  /// The events of a run on a device with this name.
  private static func events(
    _ file: String, on name: String = "Thermo-1", _ prepare: (ScriptedDevice) -> Void = { _ in }
  ) throws -> [RunEvent] {
    let bench = RunBench()
    prepare(bench.device)
    try bench.run(file: file)
    return bench.events.map { $0.on(name) }
  }

  private static func page(_ events: [[RunEvent]], of whole: CommandRecord? = nil) -> String {
    let report = HTMLReport()
    let runs = RunCollector.runs(of: events.joined(), in: whole, keepsValues: report.showsValues)
    return report.text(on: runs, of: whole)
  }

  private static let check = """
    name: Nightly <check>
    steps:
      - { read: battery-level, name: Charge }
      - { read: battery-level, expect: { percent: { above: 50 } } }
    """

  /// One device that succeeds, then two that fail in the same way and one that refuses.
  private static func batch() throws -> String {
    func charge(_ percent: UInt8) -> (ScriptedDevice) -> Void {
      { $0.answer("read battery-level", .value([percent], after: .milliseconds(20))) }
    }
    let refusal = DeviceFailure(
      code: .refused, class: .definite, operation: "reading battery-level",
      bluez: BlueZAnswer(name: "org.bluez.Error.Failed", text: "ATT error: 0x80"),
      att: ATTErrorCode(rawValue: 0x80), meaning: "the device refused", hint: "look at the device"
    )
    return page([
      try events(check, on: "Good", charge(72)), try events(check, on: "Low-1", charge(30)),
      try events(check, on: "Low-2", charge(31)),
      try events(check, on: "Rude") { $0.answer("read battery-level", .failure(refusal)) },
    ])
  }

  private static func notified(_ count: Int) throws -> [RunEvent] {
    let steps = "steps: [ { notify: heart-rate-measurement, until: { count: \(count) } } ]"
    return try events("timeout: 10m\n\(steps)") {
      $0.notify(
        "heart-rate-measurement",
        (0..<count).map { (.milliseconds(10), [0, UInt8(60 + $0 % 100)]) }
      )
    }
  }

  // MARK: Form

  @Test("the page is well-formed, and every link in it has a target")
  func form() throws {
    for page in [try Self.batch(), Self.page([]), Self.page([try Self.notified(30)])] {
      let reader = PageReader(page)
      #expect(reader.error == nil)
      #expect(Set(reader.ids).count == reader.ids.count)
      #expect(Set(reader.links).isSubset(of: reader.ids))
      #expect(reader.count["h1"] == 1 && reader.count["main"] == 1 && reader.count["body"] == 1)
    }
  }

  @Test("the page loads nothing: it has no external address, inline handler or inline style")
  func selfContained() throws {
    let page = try Self.batch()
    for word in [
      "http:", "https:", "url(h", "@import", " src=", " style=", " onclick=", "<img", "<link",
    ] {
      #expect(!page.contains(word), "\(word)")
    }
    let reader = PageReader(page)
    #expect(reader.links.count > 4 && reader.foreignLinks.isEmpty)
    #expect(reader.count["script"] == 1 && reader.count["style"] == 1)
    #expect(page.contains("\n<script>\(HTMLReport.script)</script>\n"))
    #expect(page.contains("\n<style>\(HTMLReport.style)</style>\n"))
    let policy = try #require(reader.policy)
    #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe"))
    #expect(policy.contains("script-src '\(ContentHash.source(of: HTMLReport.script))'"))
    #expect(policy.contains("style-src '\(ContentHash.source(of: HTMLReport.style))'"))
  }

  @Test("the script and the style match their hashes: no character is escaped")
  func printable() {
    for text in [HTMLReport.script, HTMLReport.style] {
      #expect(PrintableText(lines: text).description == text)
      #expect(!text.contains("</"))
    }
    #expect(
      !HTMLReport.script.contains("innerHTML") && !HTMLReport.script.contains("insertAdjacent")
    )
  }

  @Test("each table has a caption, a header for each column, and rows of equal length")
  func tables() throws {
    let reader = PageReader(try Self.batch())
    #expect(reader.tables.count == 6)
    for table in reader.tables {
      #expect(
        table.hasCaption && table.columns > 0 && table.rows.allSatisfy { $0 == table.columns }
      )
    }
  }

  // MARK: Values

  /// A run whose first step has fields, if any, and whose second and third steps have one value.
  private static func updated(_ device: String, _ fields: [DecodedValue.Field]) throws -> PageEvents
  {
    let steps = "read battery-level; read battery-level; read firmware-revision-string"
    var run = try PageEvents(device, steps)
    run.end(0.2, run.step(0), .ok, .linked(.made))
    guard !fields.isEmpty else {
      run.end(1, run.step(1), .failed, failure: PageEvents.failure())
      run.finish(1, PageEvents.failure(), run.step(1))
      return run
    }
    let values: [DecodedValue] = [.fields(fields), .integer(72), .text("<2.0.0>")]
    for (index, value) in values.enumerated() {
      let outcome = StepOutcome.value(StepValue(octets: [], decoded: value))
      run.end(Double(index + 1), run.step(index + 1), .ok, outcome)
    }
    run.finish(4)
    return run
  }

  @Test(
    "a batch has a table of values: failed devices first, and a column for each field of a step")
  func valuesOfDevices() throws {
    let fields: [DecodedValue.Field] = [
      .init("before", .text("1.0.0")), .init("bytes", .integer(5072), unit: "bytes"),
    ]
    let page = PageEvents.page([
      try Self.updated("Good", fields), try Self.updated("Rude", []),
      try Self.updated("Old", [.init("before", .text("0.9")), .init("new", .boolean(true))]),
    ])
    let begin = try #require(page.range(of: "<section id=\"values\">")).lowerBound
    let end = try #require(page.range(of: "</section>", range: begin..<page.endIndex)).lowerBound
    let lines = page[begin..<end].split(separator: "\n")
    func cells(_ line: Substring) -> [String] {
      line.replacing("</t", with: "\n</t").split(separator: "\n").dropLast().compactMap { part in
        part.matches(of: /<t[hd] [^>]*>(?:<a[^>]*>)?([^<]*)/).first.map { String($0.1) }
      }
    }
    let table = lines.filter { $0.contains("<tr") }.map(cells)
    // The second step reads the same attribute as the first one.
    #expect(
      table == [
        [
          "Device", "Status", "battery-level before", "battery-level bytes", "battery-level",
          "firmware-revision-string", "battery-level new",
        ],
        ["Rude", "failed", "", "", "", "", ""],
        ["Good", "ok", "1.0.0", "5072 bytes", "72", "&lt;2.0.0&gt;", ""],
        ["Old", "ok", "0.9", "", "72", "&lt;2.0.0&gt;", "yes"],
      ]
    )
    #expect(PageReader(page).error == nil)
  }

  @Test(
    "the table of values has at most 12 columns, names no step twice, and says what it leaves out")
  func manyValues() throws {
    func run(_ device: String) throws -> PageEvents {
      let steps = Array(repeating: "read battery-level", count: 15).joined(separator: "; ")
      var run = try PageEvents(device, steps)
      for index in 1...15 {
        let value = StepValue(octets: [1], decoded: .integer(1))
        run.end(Double(index), run.step(index), .ok, .value(value))
      }
      run.finish(16)
      return run
    }
    let page = PageEvents.page([try run("One"), try run("Two")])
    #expect(page.contains("<th scope=\"col\" class=\"value\">battery-level (step 12)</th></tr>"))
    #expect(
      page.contains("<p class=\"left-out\">3 more values of each device not listed here.</p>"))
    #expect(PageReader(page).tables.contains { $0.columns == 14 && $0.rows == [14, 14] })
  }

  @Test("the result of a throughput step is in the table of values, its rates over time are not")
  func throughputOfDevices() throws {
    func run(_ device: String, _ rate: Int128) throws -> PageEvents {
      var run = try PageEvents(device, "throughput up alert-level for 1s")
      func value(_ decoded: DecodedValue) -> StepValue { StepValue(octets: [], decoded: decoded) }
      let up = DecodedValue.fields([
        .init("rate", .integer(rate), unit: "bytes/s"), .init("count", .integer(9), unit: "values"),
      ])
      let whole = DecodedValue.fields([
        .init("up", up), .init("mtu", .integer(247), unit: "bytes", qualifier: "MTU"),
      ])
      run.end(1, run.step(1), .ok, .value(value(whole)))
      run.finish(2)
      return run
    }
    let page = PageEvents.page([try run("One", 5000), try run("Two", 7000)])
    #expect(page.contains("<th scope=\"col\" class=\"value\">throughput up</th>"))
    #expect(page.contains(">5000 bytes/s, 9 values</td>"))
    #expect(page.contains(">7000 bytes/s, 9 values</td>"))
  }

  @Test("one device, and devices without values, have no table of values")
  func noValues() throws {
    #expect(
      !PageEvents.page([try Self.updated("Good", [.init("a", .text("b"))])]).contains(
        "id=\"values\""))
    let failed = PageEvents.page([try Self.updated("A", []), try Self.updated("B", [])])
    #expect(!failed.contains("id=\"values\""))
  }

  // MARK: Failures

  @Test("failures come first in the causes, in the devices and in the sections")
  func order() throws {
    let page = try Self.batch()
    func place(_ text: String) throws -> String.Index {
      try #require(page.range(of: text)).lowerBound
    }
    #expect(try place("4 devices: 1 ok, 3 failed") < place("What went wrong"))
    #expect(try place("What went wrong") < place("<h2>Devices</h2>"))
    #expect(try place("data-section=\"r2\"") < place("data-section=\"r1\""))
    #expect(try place("id=\"r4\"") < place("id=\"r1\""))
    #expect(page.components(separatedBy: "<details open=\"open\">").count == 4)
  }

  @Test("a failure shows the expectation, the answer, the ATT error, the hint and the place")
  func explained() throws {
    let page = try Self.batch()
    let place = "<div><dt>Written at</dt><dd><code>chain.yaml:4:5</code></dd></div>"
    let hint = "<div><dt>Try</dt><dd>check the device, or what the chain expects of it</dd></div>"
    let expected =
      "<dt>While</dt><dd>reading battery-level</dd></div><div><dt>Expected</dt>"
      + "<dd><code>percent &gt; 50</code></dd></div>"
    func low(_ text: String) -> String {
      "\(expected)<div><dt>Received</dt><dd><code>\(text)</code></dd></div>\(hint)\(place)"
    }
    #expect(page.contains(low("30 % (bytes 1e)")) && page.contains(low("31 % (bytes 1f)")))
    // Both devices are in one card, each with the value it received.
    let heading = "<h3>Step 2: read battery-level <span class=\"count\">2 devices</span></h3>"
    #expect(page.contains(heading) && page.contains("\(expected)\(hint)\(place)"))
    #expect(page.contains("<p class=\"why\">expected percent &gt; 50</p>"))
    #expect(page.contains("<a href=\"#r2s3\">Low-1</a> <code>30 %</code></li>"))
    #expect(page.contains("<a href=\"#r3s3\">Low-2</a> <code>31 %</code></li>"))
    #expect(page.contains("<bdi>Charge</bdi> <span class=\"label\"><bdi>read battery-level"))
    #expect(page.contains("<dd><code>org.bluez.Error.Failed: ATT error: 0x80</code></dd>"))
    #expect(page.contains("<dt>ATT error</dt><dd><code>application error 0x80</code></dd>"))
    #expect(page.contains("<dt>Try</dt><dd>look at the device</dd>"))
  }

  @Test("timeouts without the awaited answer are grouped as one cause, whatever values came")
  func vain() throws {
    let chain = "steps: [ { exchange: fff1, value: { u8: 1 }, where: { u8: 7 } } ]"
    let long = Array(repeating: UInt8(0xab), count: 512)
    let page = Self.page([
      try Self.events(chain, on: "One") { $0.notify("fff1", [(.seconds(1), [0x0b])]) },
      try Self.events(chain, on: "Two") {
        $0.notify("fff1", [(.seconds(1), [0x0b]), (.seconds(1), long)])
      },
    ])
    #expect(page.contains("<span class=\"count\">2 devices</span>"))
    let why = "within 20s, none of which is the answer; the last was"
    #expect(page.contains("One</a> fff1 notified 1 value \(why) 0b</li>"), "\(page)")
    #expect(page.contains("Two</a> fff1 notified 2 values \(why) abab"))
    #expect(!page.contains(String(repeating: "ab", count: 50)))
  }

  @Test("the timeline shows earlier attempts with the reason for each failure")
  func attempts() throws {
    let lost = DeviceFailure.scripted(.linkLost, .passing)
    let page = Self.page([
      try Self.events("retry: { attempts: 2, backoff: 1s }\n" + Self.check) {
        $0.answer("read battery-level", .failure(lost), .value([72]))
      }
    ])
    #expect(page.contains("<div class=\"name\">Attempt 1<small>failed</small></div>"))
    #expect(page.contains("<p class=\"attempt\">Attempt 1 failed: reading battery-level on"))
    #expect(page.contains("<p class=\"verdict ok\">1 device: 1 ok</p>"))
  }

  // MARK: Text from outside

  private static let names = [
    "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</title></style>",
    "']]>--><!--&amp;&#60;b>", "\u{202e}evil\u{2066}\u{200f}", "a\u{0}\u{1b}[2J\u{85}\n\u{2028}",
    "javascript:alert(1)", String(repeating: "W", count: 5_000),
  ]

  @Test("markup in names and values is escaped", arguments: names)
  func hostile(_ name: String) throws {
    let quoted = JSONValue.string(name).text
    let file = """
      name: \(quoted)
      steps:
        - { read: battery-level, name: \(quoted) }
        - { read: ff01, format: utf8 }
        - { log: \(quoted) }
        - { read: battery-level, expect: { percent: 1 } }
      """
    var whole = CommandRecord(.batch, name: name)
    whole.notRun = [name]
    let events = try Self.events(file, on: name) {
      $0.answer("read ff01", .value(Array(name.utf8)))
    }
    let page = Self.page([events], of: whole)
    let reader = PageReader(page)
    #expect(reader.error == nil)
    #expect(reader.count["script"] == 1 && reader.count["style"] == 1)
    #expect(reader.count["img"] == nil)
    #expect(reader.foreignLinks.isEmpty)
    #expect(page.unicodeScalars.allSatisfy { $0 == "\n" || $0.isPrintable })
    let shown = String(name.printable.prefix(20))
    #expect(reader.text.components(separatedBy: shown).count > 5)
    #expect(page.utf8.count < 80_000)
  }

  // MARK: Size

  @Test("values are plotted, and the page says that its table holds only the latest ones")
  func values() throws {
    let few = Self.page([try Self.notified(30)])
    #expect(
      few.contains(
        "<td class=\"n\">0.300000</td><td class=\"value\">89 bpm</td><td class=\"hex\">0059</td>"
      )
    )
    #expect(few.contains("aria-label=\"heart-rate-measurement bpm: 60 bpm to 89 bpm, 30 values\""))
    #expect(!few.contains("class=\"left-out\""))
    let many = Self.page([try Self.notified(5_000)])
    #expect(
      many.contains("4\u{202f}800 values before the last 200 not listed; the plot has all of them.")
    )
    #expect(many.contains("bpm: 60 bpm to 159 bpm, 5\u{202f}000 values\""))
    #expect(PageReader(many).error == nil && many.utf8.count < 300_000)
  }

  @Test("the page size is limited: failures are kept first, and the page states what is omitted")
  func room() throws {
    let long = try Self.events(
      """
      steps:
        - { repeat: 3000, steps: [ { sleep: 1ms } ] }
        - { read: battery-level, expect: { percent: 1 } }
      """
    )
    let page = Self.page((1...12).map { number in long.map { $0.on("D\(number)") } })
    let rows = page.components(separatedBy: "<tr id=").count - 1
    #expect(rows <= ReportPage.Room().steps && page.utf8.count < 6_000_000)
    #expect(
      page.contains("more steps that succeeded not listed. A report in .jsonl has all of them.")
    )
    #expect(
      page.components(separatedBy: "<td class=\"s failed\">failed</td><td class=\"n start\">3.000")
        .count
        == 13
    )
    let reader = PageReader(page)
    #expect(reader.error == nil && Set(reader.links).isSubset(of: reader.ids))
  }
}
