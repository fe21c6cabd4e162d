// What is said of chain files that are wrong: file, line, column, keys, what was expected.

import Documents
import Testing

@testable import Jobs

@Suite("Complaints about chain files")
struct FileComplaintTests {
  /// What is said of a text.
  func complaints(_ text: String, limits: PlanLimits = PlanLimits()) -> [String] {
    do {
      _ = try Plan.parse(text, file: "c", limits: limits)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  /// What is said of a step alone in its file, without the file's name.
  func complaint(ofStep text: String) -> String {
    complaints("steps:\n- \(text)").map { String($0.dropFirst(2)) }.joined(separator: "\n")
  }

  @Test(
    "about the head",
    arguments: [
      ("name: x", "c:1:1: the key 'steps' is missing (expected a list of steps)"),
      ("- 1", "c:1:1: a list stands here (expected a mapping)"),
      ("steps: []", "c:1:8: steps: there are no steps (expected at least one)"),
      ("steps: x", "c:1:8: steps: 'x' stands here (expected a list of steps)"),
      (
        "steps: [connect]\nname: [x]", "c:2:7: name: a list stands here (expected a text)"
      ),
      (
        "steps: [connect]\ntimeout: 0s",
        "c:2:10: timeout: '0s' stands here (expected a duration above 0 such as 10s)"
      ),
      (
        "steps: [connect]\nretry: 3",
        "c:2:8: retry: '3' stands here "
          + "(expected tries such as { attempts: 3, backoff: 500ms })"
      ),
      (
        "steps: [connect]\nretry: { attempts: 0 }",
        "c:2:20: retry.attempts: '0' stands here (expected how many tries, from 1 to 1000)"
      ),
      (
        "steps: [connect]\nretry: { attempts: 2, backof: 1s }",
        "c:2:23: retry.backof: there is no key 'backof' here (did you mean 'backoff'?)"
      ),
      (
        "steps: [connect]\ndevice: Thermo-1",
        "c:2:9: device: 'Thermo-1' stands here "
          + "(expected one of { name }, { address }, { service }, { alias })"
      ),
      (
        "steps: [connect]\ndevice: { name: x, alias: y }",
        "c:2:9: device: a device is named in one way "
          + "(expected one of { name }, { address }, { service }, { alias })"
      ),
      (
        "steps: [connect]\ndevice: { address: x }",
        "c:2:20: device.address: 'x' stands here (expected an address such as C0:FF:EE:00:00:01)"
      ),
      (
        "steps: [connect]\ndevice: { service: batery }",
        "c:2:20: device.service: 'batery' is no service (did you mean 'battery'?)"
      ),
      (
        "steps: [connect]\ndevice: { nme: x }",
        "c:2:11: device.nme: there is no key 'nme' here (did you mean 'name'?)"
      ),
    ]
  )
  func head(text: String, complaint: String) {
    #expect(complaints(text) == [complaint])
  }

  @Test("everything that is wrong is said at once, in the order of the file")
  func all() {
    let text = """
      nam: x
      timeot: 3s
      steps:
        - raed: battery-level
        - read: hart-rate-measurement
          as: heart
        - log: "{heart.bpm} {hart.bpm}"
        - sleep: 3
      """
    #expect(
      complaints(text) == [
        "c:1:1: nam: there is no key 'nam' here (did you mean 'name'?)",
        "c:2:1: timeot: there is no key 'timeot' here (did you mean 'timeout'?)",
        "c:4:5: steps.1: there is no step 'raed' (did you mean 'read'?)",
        "c:5:11: steps.2.read: 'hart-rate-measurement' is no characteristic "
          + "(did you mean 'heart-rate-measurement'?)",
        "c:7:10: steps.3.log: no earlier step captures 'hart' (did you mean 'heart'?)",
        "c:8:12: steps.4.sleep: '3' stands here (expected a duration such as 500ms)",
      ]
    )
  }

  @Test(
    "about which step it is",
    arguments: [
      (
        "frobnicate: x",
        "2:3: steps.1: there is no step 'frobnicate' (expected one of read, write, notify, scan, "
          + "sleep, repeat, when, connect, disconnect, rssi, log, pair, unpair, trust, mtu, services, "
          + "read-descriptor, write-descriptor)"
      ),
      (
        "read",
        "2:3: steps.1: 'read' stands here (expected a step such as 'read: battery-level')"
      ),
      (
        "[]", "2:3: steps.1: a list stands here (expected a step such as 'read: battery-level')"
      ),
      (
        "{ read: battery-level, write: alert-level }",
        "2:3: steps.1: 'read' and 'write' are steps of their own "
          + "(expected one step in each entry of the list)"
      ),
      ("connect: now", "2:12: steps.1.connect: 'now' stands here (expected nothing)"),
    ]
  )
  func verbs(step: String, complaint: String) {
    #expect(self.complaint(ofStep: step) == complaint)
  }

  @Test(
    "about reading",
    arguments: [
      (
        "{ read: batery-level }",
        "2:11: steps.1.read: 'batery-level' is no characteristic (did you mean 'battery-level'?)"
      ),
      (
        "{ read: hart-rate/2a37 }",
        "2:11: steps.1.read: 'hart-rate' is no service (did you mean 'heart-rate'?)"
      ),
      (
        "{ read: [a] }",
        "2:11: steps.1.read: a list stands here (expected a characteristic such as battery-level)"
      ),
      (
        "{ read: battery-level, fromat: u8 }",
        "2:26: steps.1.fromat: there is no key 'fromat' here (did you mean 'format'?)"
      ),
      (
        "{ read: battery-level, format: u9 }",
        "2:34: steps.1.format: there is no format 'u9' (did you mean 'u8'?)"
      ),
      (
        "{ read: battery-level, as: 1b }",
        "2:30: steps.1.as: '1b' stands here "
          + "(expected a name: a letter, then letters, digits, - and _)"
      ),
      (
        "{ read: battery-level, timeout: 10 }",
        "2:35: steps.1.timeout: '10' stands here (expected a duration above 0 such as 10s)"
      ),
    ]
  )
  func reading(step: String, complaint: String) {
    #expect(self.complaint(ofStep: step) == complaint)
  }

  @Test(
    "about expectations",
    arguments: [
      (
        "{ precent: 3 }",
        "42: steps.1.expect.precent: the value has no 'precent' (did you mean 'percent'?)"
      ),
      (
        "{ celsius: 3 }",
        "42: steps.1.expect.celsius: the value has no 'celsius' (expected one of percent, value, "
          + "u8, u16, u24, u32, u64, i8, i16, i24, i32, i64, f32, f64, u16be, u24be, u32be, u64be, "
          + "i16be, i24be, i32be, i64be, f32be, f64be, utf8, hex)"
      ),
      ("[1]", "40: steps.1.expect: a list stands here (expected \(fields))"),
      ("", "41: steps.1.expect: nothing stands here (expected \(fields))"),
      (
        "{ percent: { betwen: [1, 2] } }",
        "53: steps.1.expect.percent.betwen: there is no comparison 'betwen' "
          + "(did you mean 'between'?)"
      ),
      (
        "{ percent: { equals: 3 } }",
        "53: steps.1.expect.percent.equals: there is no comparison 'equals' "
          + "(expected one of is, not, min, max, above, below, between, in)"
      ),
      (
        "{ percent: { between: [3, 2] } }",
        "62: steps.1.expect.percent.between: a list stands here "
          + "(expected two numbers, the smaller first)"
      ),
      (
        "{ percent: { min: x } }",
        "58: steps.1.expect.percent.min: 'x' stands here (expected a number)"
      ),
      (
        "{ percent: { in: 3 } }",
        "57: steps.1.expect.percent.in: '3' stands here (expected a list of values)"
      ),
      (
        "{ percent: { is: [3] } }",
        "57: steps.1.expect.percent.is: a list stands here (expected a single value)"
      ),
      (
        "{ percent: [3] }",
        "51: steps.1.expect.percent: a list stands here "
          + "(expected a value or a comparison such as { min: 10 })"
      ),
    ]
  )
  func expectations(expect: String, complaint: String) {
    let text = "steps: [{ read: battery-level, expect: \(expect) }]"
    #expect(complaints(text) == ["c:1:\(complaint)"])
  }

  private static let fields = "a value, or fields with what they must be"

  @Test(
    "about writing",
    arguments: [
      ("", "2:3: steps.1: the key 'value' is missing (expected a value such as { u8: 1 })"),
      (", value: 3", "2:32: steps.1.value: '3' stands here (expected \(part))"),
      (
        ", value: { u8: 1, u16: 2 }",
        "2:32: steps.1.value: several formats stand here (expected \(part))"
      ),
      (
        ", value: [{ u8: 1 }, 2]", "2:44: steps.1.value.2: '2' stands here (expected \(part))"
      ),
      (
        ", value: { u8: 300 }",
        "2:38: steps.1.value.u8: 300 is more than 255 (expected a value for u8)"
      ),
      (
        ", value: { u9: 300 }",
        "2:34: steps.1.value.u9: there is no format 'u9' (did you mean 'u8'?)"
      ),
      (
        ", value: { u8: [1] }",
        "2:38: steps.1.value.u8: a list stands here (expected one value)"
      ),
      (
        ", value: { u8: 1 }, kind: requst",
        "2:49: steps.1.kind: 'requst' stands here (did you mean 'request'?)"
      ),
      (
        ", value: { u8: 1 }, as: x",
        "2:43: steps.1.as: there is no key 'as' here (expected one of write, value, kind, timeout)"
      ),
      (
        ", value: { utf8: '\(String(repeating: "x", count: 513))' }",
        "2:32: steps.1.value: 513 octets, but an attribute has at most 512"
      ),
    ]
  )
  func writing(rest: String, complaint: String) {
    #expect(self.complaint(ofStep: "{ write: alert-level\(rest) }") == complaint)
  }

  private static let part =
    "one format with its value, such as { u8: 1 }; a list writes several in a row"

  @Test(
    "about listening",
    arguments: [
      (
        "",
        "13: steps.1.notify: this would listen for ever "
          + "(expected 'until' with a count, or 'for' with a duration)"
      ),
      (
        ", for: 0s",
        "33: steps.1.for: '0s' stands here (expected a duration above 0 such as 10s)"
      ),
      (
        ", for: 10s, timeout: 5s",
        "47: steps.1.timeout: a limit of 5s ends before the 10s of 'for' (expected 10s or more)"
      ),
      (
        ", until: 5",
        "35: steps.1.until: '5' stands here (expected a count such as { count: 5 })"
      ),
      (
        ", until: { count: 0 }",
        "44: steps.1.until.count: '0' stands here (expected how many values, from 1 to 1000000)"
      ),
      (
        ", for: 1s, after: x",
        "44: steps.1.after: 'x' stands here (expected a 'write' and its 'value')"
      ),
      (
        ", for: 1s, after: { write: alert-level }",
        "44: steps.1.after: the key 'value' is missing (expected a value such as { u8: 1 })"
      ),
    ]
  )
  func listening(rest: String, complaint: String) {
    #expect(self.complaint(ofStep: "{ notify: battery-level\(rest) }") == "2:\(complaint)")
  }

  @Test(
    "about variables: they are captured by an earlier step, and have the fields of its value",
    arguments: [
      (
        "{ log: '{x}' }",
        "41: steps.2.log: no earlier step captures 'x' (expected one of level, other)"
      ),
      ("{ log: '{levl}' }", "41: steps.2.log: no earlier step captures 'levl' \(meant("level"))"),
      (
        "{ when: { level.precent: 1 }, steps: [connect] }",
        "44: steps.2.when.level.precent: 'level' has no field 'precent' \(meant("percent"))"
      ),
      (
        "{ when: { 1x: 1 }, steps: [connect] }",
        "44: steps.2.when.1x: '1x' is no name "
          + "(expected a name: a letter, then letters, digits, - and _)"
      ),
      ("{ log: '{other.x}' }", "41: steps.2.log: 'other' has no fields (expected 'other' alone)"),
      ("{ log: '{x' }", "41: steps.2.log: '{x' stands here (expected \(MessageTemplate.shape))"),
      (
        "{ when: { level: { abov: 1 } }, steps: [connect] }",
        "53: steps.2.when.level.abov: there is no comparison 'abov' \(meant("above"))"
      ),
      (
        "{ when: level, steps: [connect] }",
        "42: steps.2.when: 'level' stands here "
          + "(expected captured values with what they must be)"
      ),
    ]
  )
  func variables(step: String, complaint: String) {
    let text = """
      steps:
      - { repeat: 2, steps: [{ read: battery-level, as: level }, { read: 2a29, as: other }] }
      -                                \(step)
      - { read: battery-level, as: later }
      """
    #expect(complaints(text) == ["c:3:\(complaint)"])
  }

  private static func meant(_ word: String) -> String { "(did you mean '\(word)'?)" }

  @Test("a variable of the same step or a later one is none yet")
  func tooEarly() {
    let text = "steps: [{ log: '{b}' }, { read: battery-level, as: b }]"
    #expect(
      complaints(text) == [
        "c:1:16: steps.1.log: no earlier step captures 'b' "
          + "(expected a step before this one with 'as')"
      ]
    )
  }

  @Test("sizes have limits: repetitions, steps as written and as run, depth")
  func limits() {
    #expect(
      complaints("steps: [{ repeat: 0, steps: [connect] }]") == [
        "c:1:19: steps.1.repeat: '0' stands here (expected how many times, from 1 to 1000000)"
      ]
    )
    let million = "repeat: 1000000, steps:"
    #expect(
      complaints("steps: [{ \(million) [{ \(million) [{ \(million) [connect] }] }] }]") == [
        "c:1:8: steps: a run would take more than 1000000 steps, repetitions multiplied "
          + "(expected fewer repetitions)"
      ]
    )
    var small = PlanLimits()
    small.writtenSteps = 2
    #expect(
      complaints("steps: [connect, connect, connect]", limits: small) == [
        "c:1:8: steps: 3 steps (expected at most 2)"
      ]
    )
    small.depth = 1
    let nested = "steps: [{ repeat: 2, steps: [{ repeat: 2, steps: [connect] }] }]"
    #expect(
      complaints(nested, limits: small) == [
        "c:1:50: steps.1.steps.1.steps: more than 1 steps lie in one another"
      ]
    )
  }

  @Test("a missing file, a folder and a file of no text are complaints about the file")
  func files() throws {
    func complaint(_ path: String) -> String {
      do {
        _ = try Plan.load(path: path)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(
      complaint("no/such.yaml")
        == "no/such.yaml:1:1: the file cannot be read: No such file or directory"
    )
    #expect(complaint("/") == "/:1:1: the file cannot be read: Is a directory")
    #expect(complaint("/dev/null") == "/dev/null:1:1: the file is empty")
    #expect(
      complaint("/dev/zero") == "/dev/zero:1:1: the file is longer than 4194304 octets"
    )
    let latin = try TemporaryFile([0x61, 0x3a, 0x20, 0x62, 0x0a, 0x63, 0x3a, 0xe4, 0x0a])
    #expect(complaint(latin.path) == "\(latin.path):2:1: this is not UTF-8")
  }
}
