// How much a page of a long run costs a browser: bytes and elements.

import Bluetooth
import Foundation
import Testing

@testable import Jobs
@testable import Reports

@Suite("Page size")
struct PageSizeTests {
  @Test("10 000 steps take less than 220 bytes each, and 200 rows are shown at first")
  func steps() throws {
    let page = PageEvents.page([try PageEvents.long(9_990)])
    #expect(page.utf8.count < 220 * 10_000)
    #expect(page.contains("Show all 9\u{202f}992 rows"))
    let shown = page.components(separatedBy: "<tbody class=\"rest\">")[0]
    #expect(shown.components(separatedBy: "<tr id=\"r1s").count == PageMarkup.rowLimit + 1)
    #expect(page.components(separatedBy: "<tr id=\"r1s").count == 9_993)
    #expect(page.components(separatedBy: "<rect").count < 5_000)
    #expect(PageReader(page).error == nil)
  }

  @Test("100 000 values fit on a page of 150 kB")
  func values() throws {
    let page = PageEvents.page([try PageEvents.values(100_000)])
    #expect(page.utf8.count < 150_000)
    #expect(page.contains("100\u{202f}000 values"))
  }

  @Test("a batch of 10 000 steps has a row for each")
  func batch() throws {
    let page = PageEvents.page(try (1...400).map { try PageEvents.long(24, on: "D\($0)") })
    #expect(page.components(separatedBy: "<tr id=\"r").count == 400 * 26 + 1)
    let reader = PageReader(page)
    #expect(reader.error == nil && Set(reader.links).isSubset(of: reader.ids))
  }

  @Test("of 2 010 devices with a value, the table of values has as many as there are sections")
  func devices() throws {
    let value = StepOutcome.value(StepValue(octets: [72], decoded: .integer(72)))
    let page = PageEvents.page(
      try (1...2_010).map { number in
        var run = try PageEvents("D\(number)", "read battery-level")
        run.end(1, run.step(1), .ok, value)
        run.finish(1)
        return run
      }
    )
    #expect(page.contains("<p class=\"left-out\">10 more devices not listed here.</p>"))
    let reader = PageReader(page)
    #expect(reader.error == nil && Set(reader.links).isSubset(of: reader.ids))
  }
}
