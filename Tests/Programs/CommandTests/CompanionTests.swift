// Commands implemented by a separate program: where it is looked up, and what it is passed.

import Fixtures
import Foundation
import Testing

@Suite("Companion programs", .blocking)
struct CompanionTests {
  private let folder: TemporaryFolder
  /// The binary under another path, with nothing beside it.
  private let program: String

  init() throws {
    folder = try TemporaryFolder()
    program = folder.path + "/blerun"
    try shell("cp \(binaryPath) \(program)")
  }

  /// Files are written by another process: none that a test starts meanwhile has them open.
  private func shell(_ command: String) throws {
    let ended = try RunningProgram(["/bin/sh", "-c", command], in: folder.path).end()
    try #require(ended.status == 0, "\(ended.errors)")
  }

  private func companion(in folder: String, saying text: String) throws {
    let file = folder + "/blerun-serve"
    try shell(
      """
      mkdir -p \(folder) && cat >\(file) <<'END' && chmod +x \(file)
      #!/bin/sh
      echo \(text) "$@"
      kill -PIPE $$
      END
      """
    )
  }

  private func serve(
    _ arguments: String..., path: String = "/nowhere"
  ) throws -> RunningProgram.Ended {
    let place = ["PATH": path]
    return try RunningProgram(
      [program, "serve"] + arguments, in: folder.path,
      environment: ProcessInfo.processInfo.environment.merging(place) { $1 }
    ).end()
  }

  @Test("a command whose program is missing names the package that has it")
  func missing() throws {
    let ended = try serve()
    #expect(ended.status == 69)
    #expect(
      ended.errors == """
        blerun: blerun-serve is not installed: neither beside this program nor along PATH. Try: \
        install the Debian package or the tarball of blerun (a Python wheel does not have it), or swift \
        build --product blerun-serve

        """
    )
  }

  @Test("the program in the same folder takes precedence over PATH and receives the arguments")
  func besideFirst() throws {
    let other = folder.path + "/elsewhere"
    try companion(in: other, saying: "along PATH")
    let along = try serve("--for", "1s", path: "/bin:\(other)")
    #expect(along.output == "along PATH --for 1s\n")
    try companion(in: folder.path, saying: "beside")
    let beside = try serve("-d", "Soil 1", "battery-level", path: "/bin:\(other)")
    #expect(beside.output == "beside -d Soil 1 battery-level\n")
    // SIGPIPE, which blerun ignores, is not ignored there.
    #expect(beside.status == 128 + 13)
  }
}
