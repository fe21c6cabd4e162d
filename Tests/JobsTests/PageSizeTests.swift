// How much a page of a long run costs a browser: elements that it makes at once, and bytes.

import Bluetooth
import Foundation
import Signals
import Testing

@testable import Jobs

@Suite("The size of a page")
struct PageSizeTests {
  /// The page without what a browser reads as text: folds, data, the script and the style.
  private static func shown(_ page: String) -> String {
    ["noscript", "script", "style"].reduce(page) { shown, name in
      let parts = shown.components(separatedBy: "<\(name)")
      let rests = parts.dropFirst().map { part in
        part.components(separatedBy: "</\(name)>").dropFirst().joined()
      }
      return parts[0] + rests.joined()
    }
  }

  /// How many elements a browser with scripts makes when it opens the page.
  private static func elements(_ page: String) -> Int {
    let bytes = Array(shown(page).utf8)
    return zip(bytes, bytes.dropFirst()).count {
      $0 == UInt8(ascii: "<") && ($1 | 0x20) >= UInt8(ascii: "a")
        && ($1 | 0x20) <= UInt8(ascii: "z")
    }
  }

  @Test("10 000 steps: a few thousand elements at once, and 200 bytes for each step")
  func steps() throws {
    let page = PageEvents.page([try PageEvents.long(9_990)])
    #expect(Self.elements(page) < 2_500)
    #expect(page.utf8.count < 200 * 10_000)
    #expect(page.contains("Show all 9\u{202f}992 rows"))
    // All steps are there, for the script and for who runs none.
    #expect(page.components(separatedBy: "<tr id=\"r1s").count == 9_993)
    #expect(page.contains("\"noun\":\"step\",\"stem\":\"r1s\""))
    #expect(PageReader(page).error == nil)
  }

  @Test("100 000 values: a few hundred elements at once, and 14 bytes for each value")
  func values() throws {
    let page = PageEvents.page([try PageEvents.values(100_000)])
    #expect(Self.elements(page) < 500)
    #expect(page.utf8.count < 14 * 100_000)
    #expect(page.contains("100\u{202f}000 values"))
  }

  @Test("a batch of 10 000 steps: the sections of runs that succeeded are folded")
  func batch() throws {
    let page = PageEvents.page(try (1...400).map { try PageEvents.long(24, on: "D\($0)") })
    #expect(Self.elements(page) < 12_000)
    #expect(page.components(separatedBy: "<tr id=\"r").count == 400 * 26 + 1)
    let reader = PageReader(page)
    #expect(reader.error == nil && Set(reader.links).isSubset(of: reader.ids))
  }

  @Test("there is no fold in a fold")
  func folds() throws {
    let pages = [
      try PageEvents.hostile(), try PageEvents.odd(),
      try (1...30).map { try PageEvents.long(600, on: "D\($0)") },
    ]
    for page in pages.map({ PageEvents.page($0) }) {
      let parts = page.components(separatedBy: "<noscript>").dropFirst()
      #expect(!parts.isEmpty && parts.allSatisfy { $0.contains("</noscript>") })
      #expect(page.components(separatedBy: "</noscript>").count == parts.count + 1)
    }
  }
}
