// The entries of a mapping while the words of a step are parsed.

import Documents

/// Keys with their nodes, in the order in which they were written.
struct LineEntries {
  private(set) var all: [Node.Entry] = []

  subscript(key: String) -> Node? { all.first { $0.key == key }?.value }

  mutating func add(_ key: String, at place: Place, _ value: Node) {
    all.append(Node.Entry(key: key, keyPlace: place, value: value))
  }

  /// Adds a key; throws if it is already present.
  mutating func set(_ key: String, at word: LineWord, _ value: Node) throws(Problem) {
    guard self[key] == nil else { throw Problem.duplicateOption(word.text).at(word.place) }
    add(key, at: word.place, value)
  }

  /// Adds an element to the list under a key.
  mutating func append(_ key: String, at place: Place, _ value: Node) {
    guard let index = all.firstIndex(where: { $0.key == key }),
      case .sequence(let nodes) = all[index].value.content
    else { return add(key, at: place, Node(.sequence([value]), at: value.place, path: "")) }
    replace(index, .sequence(nodes + [value]))
  }

  /// Adds entries to the mapping under a key. Duplicates are kept, in order.
  mutating func merge(_ key: String, at place: Place, _ value: Node) {
    guard let index = all.firstIndex(where: { $0.key == key }),
      case .mapping(let entries) = all[index].value.content
    else { return add(key, at: place, value) }
    replace(index, .mapping(entries + (value.mapping ?? [])))
  }

  private mutating func replace(_ index: Int, _ content: Node.Content) {
    let old = all[index]
    let value = Node(content, at: old.value.place, path: "")
    all[index] = Node.Entry(key: old.key, keyPlace: old.keyPlace, value: value)
  }
}
