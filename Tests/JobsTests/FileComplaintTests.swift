// Errors in chain files: file, line, column, keys, what was expected.

import Documents
import Testing

@testable import Jobs

@Suite("Complaints about chain files")
struct FileComplaintTests {
  @Test(
    "about the head",
    arguments: [
      ("name: x", "c:1:1: the key 'steps' is missing (expected a list of steps)"),
      ("- 1", "c:1:1: expected a mapping, found a list"),
      ("steps: []", "c:1:8: steps: there are no steps (expected at least one)"),
      ("steps: x", "c:1:8: steps: expected a list of steps, found 'x'"),
      (
        "steps: [connect]\nname: [x]", "c:2:7: name: expected a text, found a list"
      ),
      (
        "steps: [connect]\ntimeout: 0s",
        "c:2:10: timeout: expected a duration above 0 such as 10s, found '0s'"
      ),
      (
        "steps: [connect]\nretry: 3",
        "c:2:8: retry: expected "
          + "tries such as { attempts: 3, backoff: 500ms }, found '3'"
      ),
      (
        "steps: [connect]\nretry: { attempts: 0 }",
        "c:2:20: retry.attempts: expected a number of tries, from 1 to 1000, found '0'"
      ),
      (
        "steps: [connect]\nretry: { attempts: 2, backof: 1s }",
        "c:2:23: retry.backof: unknown key 'backof' (did you mean 'backoff'?)"
      ),
      (
        "steps: [connect]\ndevice: [Thermo-1]",
        "c:2:9: device: expected "
          + "a name, an address, or one of { name }, { address }, { service }, { alias }, found a list"
      ),
      (
        "steps: [connect]\ndevice: { name: x, alias: y }",
        "c:2:9: device: a device is named in one way "
          + "(expected one of { name }, { address }, { service }, { alias })"
      ),
      (
        "steps: [connect]\ndevice: { address: x }",
        "c:2:20: device.address: expected an address such as C0:FF:EE:00:00:01, found 'x'"
      ),
      (
        "steps: [connect]\ndevice: { service: batery }",
        "c:2:20: device.service: unknown service 'batery' (did you mean 'battery'?)"
      ),
      (
        "steps: [connect]\ndevice: { nme: x }",
        "c:2:11: device.nme: unknown key 'nme' (did you mean 'name'?)"
      ),
    ]
  )
  func head(text: String, complaint: String) {
    #expect(Plan.complaints(text) == [complaint])
  }

  @Test("all errors are reported at once, in the order of the file")
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
      Plan.complaints(text) == [
        "c:1:1: nam: unknown key 'nam' (did you mean 'name'?)",
        "c:2:1: timeot: unknown key 'timeot' (did you mean 'timeout'?)",
        "c:4:5: steps.1: unknown step 'raed' (did you mean 'read'?)",
        "c:5:11: steps.2.read: unknown characteristic 'hart-rate-measurement' "
          + "(did you mean 'heart-rate-measurement'?)",
        "c:7:10: steps.3.log: no earlier step captures 'hart' (did you mean 'heart'?)",
        "c:8:12: steps.4.sleep: expected a duration such as 500ms, found '3' (did you mean '3s'?)",
      ]
    )
  }

  @Test("sizes have limits: repetitions, steps as written and as run, depth")
  func limits() {
    #expect(
      Plan.complaints("steps: [{ repeat: 0, steps: [connect] }]") == [
        "c:1:19: steps.1.repeat: expected a number of times, from 1 to 1000000, found '0'"
      ]
    )
    let million = "repeat: 1000000, steps:"
    #expect(
      Plan.complaints("steps: [{ \(million) [{ \(million) [{ \(million) [connect] }] }] }]") == [
        "c:1:8: steps: a run would take more than 1000000 steps, repetitions multiplied "
          + "(expected fewer repetitions)"
      ]
    )
    var small = PlanLimits()
    small.writtenSteps = 2
    #expect(
      Plan.complaints("steps: [connect, connect, connect]", limits: small) == [
        "c:1:8: steps: 3 steps (expected at most 2)"
      ]
    )
    small.depth = 1
    let nested = "steps: [{ repeat: 2, steps: [{ repeat: 2, steps: [connect] }] }]"
    #expect(
      Plan.complaints(nested, limits: small) == [
        "c:1:50: steps.1.steps.1.steps: steps are nested deeper than 1 levels"
      ]
    )
  }

  @Test("a missing file, a folder and a file of no text are complaints about the file")
  func files() throws {
    func complaint(_ path: String) -> String {
      do {
        _ = try Plan(file: path)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(
      complaint("no/such.yaml")
        == "no/such.yaml: the file cannot be read: No such file or directory"
    )
    #expect(complaint("/") == "/: the file cannot be read: Is a directory")
    #expect(complaint("/dev/null") == "/dev/null:1:1: the file is empty")
    #expect(
      complaint("/dev/zero") == "/dev/zero: the file is longer than 4194304 bytes"
    )
    let latin = try TemporaryFile([0x61, 0x3a, 0x20, 0x62, 0x0a, 0x63, 0x3a, 0xe4, 0x0a])
    #expect(complaint(latin.path) == "\(latin.path):2:1: the file is not valid UTF-8")
  }
}
