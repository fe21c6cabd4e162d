// Errors in a suite are reported with file, line and column, all at once.

import Documents
import Fixtures
import NordicSuites
import Testing

@Suite("Errors in suites")
struct SuiteComplaintTests {
  /// The errors in a text.
  private func complaints(
    _ text: String, _ variables: [(name: String, value: String)] = [],
    limits: MarkupLimits = MarkupLimits()
  ) -> [String] {
    do {
      _ = try Suite.parse(text, file: "suite.xml", variables: variables, limits: limits)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  /// The errors in operations that begin on line 2.
  private func complaints(of operations: String) -> [String] {
    complaints("<test-suite><test id='t'>\n\(operations)\n</test><run-test ref='t'/></test-suite>")
  }

  @Test("all errors are reported at once, in the order of the file, with the closest name")
  func all() {
    let found = complaints(
      """
      <test-suite>
        <target id="dut" adress="C0:FF:EE:00:00:01"/>
        <test id="t" target="dut">
          <conect/>
          <connect timeout="soon" expected="success"/>
          <read service-uuid="xyz"/>
        </test>
        <run-test ref="tt"/>
        <run-test ref="t"/>
      </test-suite>
      """
    )
    #expect(
      found == [
        "suite.xml:2:20: target.adress: unknown attribute 'adress' "
          + "(did you mean 'address'?)",
        "suite.xml:4:5: test.conect: unknown element <conect> (did you mean 'connect'?)",
        "suite.xml:5:14: connect.timeout: expected milliseconds, from 0 to 86400000, "
          + "found 'soon'",
        "suite.xml:5:29: connect.expected: unknown word 'success' (did you mean 'SUCCESS'?)",
        "suite.xml:6:5: read: the attribute 'characteristic-uuid' is missing "
          + "(expected a UUID such as 0000180D-0000-1000-8000-00805f9b34fb)",
        "suite.xml:6:11: read.service-uuid: expected a UUID such as "
          + "0000180D-0000-1000-8000-00805f9b34fb, found 'xyz'",
        "suite.xml:8:13: run-test.ref: unknown word 'tt' (did you mean 't'?)",
      ]
    )
  }

  @Test("a variable without a value is reported where it is used, once for all runs")
  func missingVariable() {
    let text = """
      <test-suite><target id="dut" address="${ADDRESS}"/>
      <test id="t" target="dut"><scan-for name="${NAME}"/></test>
      <test id="unused"><scan-for name="${OTHER}"/></test>
      <run-test ref="t"/><run-test ref="t"/></test-suite>
      """
    let found = complaints(text)
    #expect(found.count == 2, "\(found)")
    #expect(
      found.first?.hasPrefix("suite.xml:1:30: target.address: ${ADDRESS} has no value") == true
    )
    #expect(found.last?.contains("-E NAME VALUE on the command line") == true)
    #expect(complaints(text, [("ADDRESS", "C0:FF:EE:00:00:01"), ("NAME", "x")]).isEmpty)
    #expect(
      complaints(text, [("ADDRESS", "here"), ("NAME", "x")]).first?.contains("'here'") == true
    )
  }

  @Test(
    "attributes that an operation does not have are reported",
    arguments: [
      ("<property name='READ'/>", "unknown element <property>"),
      ("<sleep expected='FAIL'/>", "unknown attribute 'expected'"),
      ("<connect expectedErrorCode='133'/>", "an error code needs an expected failure"),
      ("<connect>now</connect>", "expected only elements in <connect>, found text"),
      ("<request-mtu value='600'/>", "expected bytes, from 23 to 517"),
      ("<scan data='[0-9'/>", "a '[' is not closed"),
      ("<scan address='C0'/>", "expected an address"),
      ("<scan target='dut'/>", "found 'dut'"),
      ("<read-rssi><assert-value value='+-50'/></read-rssi>", "an RSSI such as -50"),
      ("<request-connection-priority type='FAST'/>", "LOW_POWER, BALANCED, HIGH"),
      ("<set-preferred-phy tx='LE_3M'/>", "LE_1M, LE_2M or LE_CODED"),
      ("<dfu/>", "the attribute 'file' is missing"),
      ("<wait-for-write/>", "unknown element <wait-for-write>"),
      (
        "<write service-uuid='180f' characteristic-uuid='2a19' value='0'/>",
        "bytes in hexadecimal digits"
      ),
      (
        "<write service-uuid='180f' characteristic-uuid='2a19' value='00' value-string='x'/>",
        "only one of value and value-string is allowed"
      ),
      (
        "<write service-uuid='180f' characteristic-uuid='2a19' type='write' value='00'/>",
        "WRITE_REQUEST, WRITE_COMMAND"
      ),
    ]
  )
  func operations(_ operation: String, _ part: String) {
    let found = complaints(of: operation)
    #expect(found.contains { $0.hasPrefix("suite.xml:2:") && $0.contains(part) }, "\(found)")
  }

  @Test("test and target names must be unique, and at least one test must run")
  func structure() {
    let found = complaints(
      """
      <test-suite><target id="a"/><target id="a"/>
      <test id="t"><connect/></test><test id="t"/></test-suite>
      """
    )
    let parts = [
      "duplicate target 'a'", "duplicate test 't'", "no test is run", "the test is empty",
    ]
    for part in parts { #expect(found.contains { $0.contains(part) }, "\(part): \(found)") }
    #expect(complaints("<chain/>").first?.contains("unknown root element <chain>") == true)
    #expect(complaints("<macro/>").contains { $0.contains("the attribute 'name' is missing") })
  }

  @Test(
    "text that is not XML is rejected with its position",
    arguments: [
      ("", "there is no element in this file"), ("steps: [read]", "there is no element"),
      (
        "<test-suite>\n<test></test-suite>",
        "2:9: found </test-suite> before the <test> of line 2 is closed (expected </test>)"
      ),
      (
        "<test-suite>\n<test>\n<sleep/>",
        "the file ends before the <test> of line 2 is closed (expected </test>)"
      ),
      ("<test-suite/><test-suite/>", "only comments may follow the last element"),
      ("<test-suite a='1' a='2'/>", "duplicate attribute"),
      ("<test-suite a='&no;'/>", "undeclared entity"),
      ("<test-suite a=1/>", "the value of an attribute must be in quotes"),
    ]
  )
  func markup(_ text: String, _ part: String) {
    let found = complaints(text)
    #expect(found.first?.hasPrefix("suite.xml:") == true)
    #expect(found.first?.contains(part) == true, "\(found)")
  }

  @Test("processing instructions are ignored, even empty ones")
  func instructions() {
    let suite = "<test-suite><?b c?><?d?>\n<test/></test-suite>"
    #expect(complaints("<?a?>\n\(suite)<?e?>") == complaints("\n\(suite)"))
    #expect(complaints("<?a?>\n\(suite)").contains { $0.hasPrefix("suite.xml:3:1:") })
    #expect(complaints("\(suite)<?e ").first?.contains("ends inside a tag") == true)
    #expect(complaints("\n<?xml version='1.0'?>\(suite)").first?.contains("suite.xml:2:1:") == true)
  }

  @Test("document types are refused, and with them entities of every kind")
  func documentTypes() {
    let bomb = """
      <?xml version="1.0"?>
      <!DOCTYPE a [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
      <test-suite description="&b;"/>
      """
    let external = "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><test-suite/>"
    for text in [bomb, external, "<test-suite><!ELEMENT a></test-suite>"] {
      let found = complaints(text)
      #expect(found.count == 1 && found[0].contains("a document type is not allowed"), "\(found)")
    }
    // In a comment or an attribute it is not a document type.
    let harmless = complaints("<!-- <!DOCTYPE a> --><macro name='&lt;!DOCTYPE a>'><sleep/></macro>")
    #expect(harmless.isEmpty, "\(harmless)")
  }

  @Test("files are UTF-8, and one that declares another encoding is rejected")
  func encodings() {
    let macro = "<macro name='m'><sleep/></macro>"
    for encoding in ["UTF-8", "utf-8", "US-ASCII"] {
      let found = complaints("<?xml version='1.0' encoding='\(encoding)'?>\n\(macro)")
      #expect(found.isEmpty, "\(found)")
    }
    #expect(complaints("\u{feff}<?xml version=\"1.0\"?>\(macro)").isEmpty)
    for encoding in ["UTF-16", "UCS-4", "UTF-7", "ISO-8859-1", "x"] {
      let found = complaints("<?xml version=\"1.0\" encoding = \"\(encoding)\" ?>\(macro)")
      #expect(
        found == [
          "suite.xml:1:1: expected the encoding UTF-8 or US-ASCII, "
            + "found \(encoding)"
        ]
      )
    }
    let wide = macro.map { "\($0)\u{0}" }.joined()
    #expect(complaints(wide) == ["suite.xml:1:2: expected text, found a control character"])
  }

  @Test("size, depth, elements, attributes and text are limited")
  func limits() {
    var limits = MarkupLimits()
    limits.bytes = 300
    #expect(complaints(String(repeating: " ", count: 301), limits: limits)[0].contains("300 bytes"))
    let deep = String(repeating: "<a>", count: 100_000)
    #expect(complaints(deep)[0].contains("nested more than 16 deep"))
    let many = "<test-suite>" + String(repeating: "<a/>", count: 20_001) + "</test-suite>"
    #expect(complaints(many)[0].contains("more than 20000 elements"))
    let attributes = (0..<30).map { "a\($0)=''" }.joined(separator: " ")
    #expect(complaints("<a \(attributes)/>")[0].contains("more than 24 attributes"))
    let long = String(repeating: "x", count: 9_000)
    #expect(complaints("<a b='\(long)'/>")[0].contains("longer than 8192 bytes"))
  }

  @Test("nested variables cannot grow beyond a limit, and the total of all runs is limited")
  func growth() {
    let sets = (1...40).map { "<set name='V\($0)' value='${V\($0 - 1)}${V\($0 - 1)}'/>" }.joined()
    let text =
      "<test-suite><set name='V0' value='xxxx'/>\(sets)"
      + "<test id='t'><sleep/></test><run-test ref='t' description='${V40}'/></test-suite>"
    #expect(complaints(text).contains { $0.contains("longer than 8192 bytes") })
    var limits = MarkupLimits()
    limits.operations = 3
    let runs = String(repeating: "<run-test ref='t'/>", count: 4)
    let found = complaints(
      "<test-suite><test id='t'><sleep/></test>\(runs)</test-suite>", limits: limits
    )
    #expect(found.first?.contains("more than 3 operations") == true)
  }

  @Test("a thousand errors are reported in two hundred messages")
  func many() {
    let text = String(repeating: "<a/>\n", count: 1_000)
    #expect(complaints("<test-suite>\(text)</test-suite>").count == 200)
  }
}
