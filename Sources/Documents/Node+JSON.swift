// JSON from a program, as a node: forms and mapping readers take it as they take a file.

extension Node: JSONBuilt {
  /// Nodes of JSON text have no position.
  private static let nowhere = Place(file: "JSON")

  private static func plain(_ text: String) -> Node {
    Node(.scalar(text, isPlain: true), at: nowhere, path: "")
  }

  package static var null: Node { plain("null") }
  package static func boolean(_ truth: Bool) -> Node { plain("\(truth)") }
  package static func number(_ text: String) -> Node { plain(text) }
  package static func string(_ text: String) -> Node {
    Node(.scalar(text, isPlain: false), at: nowhere, path: "")
  }
  package static func array(_ values: [Node]) -> Node {
    Node(.sequence(values), at: nowhere, path: "")
  }

  /// Of members with the same key, the first.
  package static func object(_ members: [(key: String, value: Node)]) -> Node {
    var entries: [Entry] = []
    for (key, value) in members where !entries.contains(where: { $0.key == key }) {
      entries.append(Entry(key: key, keyPlace: nowhere, value: value))
    }
    return Node(.mapping(entries), at: nowhere, path: "")
  }
}
