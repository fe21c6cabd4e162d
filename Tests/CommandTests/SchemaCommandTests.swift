// `blerun schema`: what it prints is what the package has in its folders.

import Fixtures
import Foundation
import Testing

@Suite("blerun schema", .blocking)
struct SchemaCommandTests {
  @Test(
    "prints the schema of each kind of file as it is in the package",
    arguments: [
      ("chain", "docs/chain.schema.json"), ("device", "Simulators/device.schema.json"),
      ("scenario", "Simulators/scenario.schema.json"),
    ]
  )
  func schema(kind: String, file: String) throws {
    let run = try blerun("schema", kind)
    let url = URL(fileURLWithPath: packageFolder).appending(path: file)
    #expect(run.output == (try String(contentsOf: url, encoding: .utf8)), "\(run.errors)")
    #expect(run.status == 0)
  }

  @Test("an unknown kind is wrong usage, and the known ones are listed")
  func unknown() throws {
    let run = try blerun("schema", "lamp")
    #expect(run.status == 2)
    #expect(run.errors.contains("chain") && run.errors.contains("scenario"), "\(run.errors)")
  }

  @Test("the command and the kinds are in the help and in the completion")
  func help() throws {
    #expect(try blerun("--help").output.contains("Print the JSON Schema of a kind of file."))
    #expect(try blerun("schema", "--help").output.contains("chain, device, scenario"))
    let completion = try blerun("--generate-completion-script", "bash").output
    #expect(completion.contains("'chain'$'\\n''device'$'\\n''scenario'"))
  }
}
