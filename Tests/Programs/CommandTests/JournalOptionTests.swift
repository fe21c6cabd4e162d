// The values that journal options accept, and the errors for others: an exit status before anything is printed.

import Fixtures
import Glibc
import Testing

@testable import Program

@Suite("Journal options", .blocking)
struct JournalOptionTests {
  private func run(_ arguments: String...) throws -> RunningProgram.Ended {
    let chain = ["run", "-e", "log x", "--simulate", "Simulators/devices/thermometer.yaml"]
    return try blerun(chain + arguments)
  }

  @Test("a size is a number of bytes, or a number with a unit in either case")
  func sizes() throws {
    let sizes = ["4096": 4096, "60k": 61_440, "130K": 133_120, "2m": 2 << 20, "1G": 1 << 30]
    for (text, octets) in sizes {
      #expect(try sizeArgument(text) == octets, "\(text)")
    }
    for text in ["", "k", "-5M", "4095", "1", "5T", "1.5M", "99999999999999G"] {
      #expect(throws: (any Error).self, "\(text)") { try sizeArgument(text) }
    }
  }

  @Test("an impossible path is reported as such, without advice about disks")
  func noPlace() throws {
    let long = String(repeating: "j", count: 256)
    for path in ["/proc/j.sqlite", "/proc/no/j.sqlite", "/etc/passwd/j.sqlite", "/etc", long] {
      let ended = try run("--journal", path)
      #expect(ended.status == 74 && ended.output == "", "\(path)")
      #expect(ended.errors.contains("no file can have this path"), "\(ended.errors)")
      #expect(!ended.errors.contains("dmesg"))
    }
  }

  @Test("the folder of a named journal must exist")
  func noFolder() throws {
    let folder = try TemporaryFolder()
    let ended = try run("--journal", folder.path + "/misspelt/j.sqlite")
    #expect(ended.status == 74 && ended.output == "")
    #expect(ended.errors.contains("name another file, in an existing folder"), "\(ended.errors)")
    #expect(access(folder.path + "/misspelt", F_OK) != 0)
  }
}
