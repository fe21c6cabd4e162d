// Untrusted text as it is printed, and cells that a spreadsheet would execute.

import Documents
import Testing

@testable import Jobs

@Suite("Untrusted text")
struct PrintableTextTests {
  @Test(
    "an invisible character is replaced by its code",
    arguments: [
      ("Thermo-1 21.5 °C, 体温計 👩 ❤️ a\u{301}", "Thermo-1 21.5 °C, 体温計 👩 ❤️ a\u{301}"),
      ("\u{1b}]52;c;YQ==\u{7}", #"\u{1b}]52;c;YQ==\u{7}"#),
      ("a\tb\r\nc\u{0}", #"a\u{9}b\u{d}\u{a}c\u{0}"#),
      ("\u{7f}\u{80}\u{9b}31m\u{9f}", #"\u{7f}\u{80}\u{9b}31m\u{9f}"#),
      ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
      ("\u{202a}\u{202e}\u{2066}\u{2069}\u{61c}", #"\u{202a}\u{202e}\u{2066}\u{2069}\u{61c}"#),
      ("\u{200b}\u{200d}\u{200f}\u{2060}\u{feff}", #"\u{200b}\u{200d}\u{200f}\u{2060}\u{feff}"#),
      ("\u{ad}\u{34f}\u{115f}\u{3164}\u{180e}", #"\u{ad}\u{34f}\u{115f}\u{3164}\u{180e}"#),
      ("\u{e0001}\u{e0061}\u{fffe}\u{fff9}", #"\u{e0001}\u{e0061}\u{fffe}\u{fff9}"#),
    ]
  )
  func escaped(text: String, shown: String) {
    #expect(text.printable == shown)
    #expect(shown.printable == shown)
    #expect(text.unicodeScalars.allSatisfy(\.isPrintable) == (text == shown))
  }

  @Test("multi-line text keeps its line feeds but no other control characters")
  func lines() {
    #expect(PrintableText(lines: "a\r\n\u{1b}b\n").description == "a\\u{d}\n\\u{1b}b\n")
  }

  @Test("JSON contains it as an escape that a parser restores")
  func json() {
    let text = "\u{1b}\u{9b}\u{202e}\u{200b}\u{e0001}é"
    #expect(JSONValue.string(text).text == #""\u001b\u009b\u202e\u200b\udb40\udc01é""#)
  }

  @Test(
    "a cell that a spreadsheet would execute gets an apostrophe; a number does not",
    arguments: [
      ("=1+2", "'=1+2"), ("+SUM(A1)", "'+SUM(A1)"), ("-cmd", "'-cmd"), ("@0x0012", "'@0x0012"),
      ("\u{ff1d}1", "'\u{ff1d}1"), ("=a,b", "\"'=a,b\""), ("=\"", "\"'=\"\"\""), ("-", "'-"),
      ("-inf", "'-inf"), ("+0x1p3", "'+0x1p3"), ("-1-1", "'-1-1"), ("\t=1", "\\u{9}=1"),
      ("\r=1", "\\u{d}=1"), ("-5", "-5"), ("+5", "+5"), ("-5.25e-3", "-5.25e-3"), ("a=b", "a=b"),
      ("", ""), ("a\nb", "a\\u{a}b"),
    ]
  )
  func cells(cell: String, written: String) {
    #expect(CSVCell.text(cell) == written)
  }
}
