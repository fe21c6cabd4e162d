// JSON from a program, as a node: forms and mapping readers take it as they take a file.

extension Node {
  /// The node of a value. It has no position; of members with the same key it has the first.
  package init(_ json: JSONValue) {
    let nowhere = Place(file: "JSON")
    let content: Content =
      switch json {
      case .null, .boolean, .number: .scalar(json.text, isPlain: true)
      case .string(let text): .scalar(text, isPlain: false)
      case .array(let values): .sequence(values.map { Node($0) })
      case .object(let members):
        .mapping(
          members.reduce(into: [Entry]()) { entries, member in
            guard !entries.contains(where: { $0.key == member.key }) else { return }
            let value = Node(member.value)
            entries.append(Entry(key: member.key, keyPlace: nowhere, value: value))
          }
        )
      }
    self.init(content, at: nowhere, path: "")
  }
}
