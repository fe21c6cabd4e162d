// Variables on the command line.

import Fixtures
import Foundation
import Testing

@Suite("blerun --set", .blocking)
struct VariableCommandTests {
  @Test("run --dry-run takes values for variables, from --set and the named environment")
  func dryRun() throws {
    let folder = try TemporaryFolder()
    let text = """
      environment: [LAMP]
      variables: { level: { type: integer, default: 1 } }
      device: { name: "{LAMP}" }
      steps:
      - { write: alert-level, value: { u8: "{level}" } }

      """
    let file = try folder.file("lamp.yaml", text)
    let run = try blerun(
      ["run", file, "--dry-run", "--set", "level=2"],
      environment: ["LAMP": "Lamp-7"]
    )
    #expect(run.errors == "")
    #expect(
      run.output == """
        chain     (no name)
        device    'Lamp-7'
        timeout   20s a step

              connect
        1     write alert-level u8:2
              disconnect

        """
    )
    let wrong = try blerun(
      ["check", file, "--set", "levle=2"],
      environment: ["LAMP": "Lamp-7"]
    )
    #expect(wrong.status == 65)
    #expect(wrong.errors.contains("did you mean 'level'?"))
    let usage = try blerun("run", file, "--set", "level")
    #expect(usage.status == 2)
  }
}
