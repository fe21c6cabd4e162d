// `blerun schema`. That the schemas are those in the package is tested where they are
// made; here, that a whole one is printed.

import Fixtures
import Foundation
import Testing

@Suite("blerun schema", .blocking)
struct SchemaCommandTests {
  @Test(
    "prints the schema of each kind of file",
    arguments: ["chain", "batch", "device", "scenario"]
  )
  func schema(kind: String) throws {
    let run = try blerun("schema", kind)
    #expect(run.status == 0, "\(run.errors)")
    let schema = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    #expect(schema?["$schema"] != nil && schema?["definitions"] != nil)
  }
}
