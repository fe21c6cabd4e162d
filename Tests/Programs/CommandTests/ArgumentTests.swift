// The arguments of the programs, also where a preloaded library has moved the environment.

import Fixtures
import Foundation
import Glibc
import Testing

@testable import Program

@Suite("Arguments of the process", .blocking)
struct ArgumentTests {
  @Test(
    "the kernel's list ends each argument with a NUL",
    arguments: [
      ("blerun\0run\0a b\0", ["blerun", "run", "a b"]),
      ("blerun\0\0x\0\0", ["blerun", "", "x", ""]),
      ("blerun\0", ["blerun"]), ("\0", [""]), ("", nil), ("changed title", nil),
    ]
  )
  func list(text: String, expected: [String]?) {
    #expect(ProcessArguments.list(Array(text.utf8)) == expected)
  }

  @Test(
    "a preloaded library that changes the environment hides no argument",
    .enabled(if: SteeredSimulationTests.has("cc"), "needs a C compiler"),
    arguments: [
      "setenv(\"SOME_VARIABLE\", \"1\", 1);", "putenv(\"SOME_VARIABLE=1\");",
      "char *path = getenv(\"PATH\"); clearenv(); setenv(\"PATH\", path, 1);",
    ]
  )
  func preloaded(_ change: String) throws {
    let folder = try TemporaryFolder()
    _ = try folder.file(
      "change.c",
      """
      #define _GNU_SOURCE
      #include <stdlib.h>
      __attribute__((constructor)) static void change(void) { \(change) }

      """
    )
    let made = try shell("cc -shared -fPIC -o change.so change.c", in: folder.path)
    try #require(made.status == 0, "\(made.errors)")
    let environment = ["LD_PRELOAD": folder.path + "/change.so"]
    let run = try blerun(["run", "missing.yaml"], in: folder.path, environment: environment)
    #expect(run.status == 65 && run.errors.contains("missing.yaml"), "\(run.output) \(run.errors)")
    for program in ["-serve", "-fleet"] where access(binaryPath + program, X_OK) == 0 {
      let word = program == "-fleet" ? "gateway " : ""
      let run = try shell("$0\(program) \(word)--bogus", in: folder.path, environment: environment)
      #expect(run.status == 2 && run.errors.contains("--bogus"), "\(run.output) \(run.errors)")
    }
  }
}
