// Pairing and protected attributes in a device file.

import Documents

extension DeviceReader {
  /// `security: { pairing: passkey-entry, passkey: 042137 }`, of a device.
  mutating func pairing(_ node: Node) -> PairingDefinition {
    var keys = MappingReader(node)
    var result = PairingDefinition()
    let words = PairingDefinition.Method.allCases.map(\.rawValue)
    let method = keys.required("pairing", expected: words.joined(separator: ", "))
    let known: PairingDefinition.Method? = method.flatMap { word($0, words) }
    if let known { result.method = known }
    let passkey = keys.optional("passkey")
    result.passkey = passkey.flatMap { self.passkey($0) }
    switch (known, passkey) {
    case (.passkeyEntry?, nil):
      problems.append(node.problem("the device's passkey is missing", expected: "up to six digits"))
    case (.justWorks?, let passkey?), (.reject?, let passkey?):
      problems.append(passkey.problem("pairing by '\(result.method.rawValue)' has no passkey"))
    default: break
    }
    problems += keys.finish()
    return result
  }

  /// `security: encrypted`, or `security: { read: none, write: authenticated }`, of an attribute.
  mutating func security(_ node: Node) -> AttributeSecurity {
    let words = LinkSecurity.allCases.map(\.rawValue)
    guard node.mapping != nil else {
      let level: LinkSecurity = word(node, words) ?? .none
      return AttributeSecurity(read: level, write: level)
    }
    var keys = MappingReader(node)
    let read: LinkSecurity? = keys.optional("read").flatMap { word($0, words) }
    let write: LinkSecurity? = keys.optional("write").flatMap { word($0, words) }
    problems += keys.finish()
    return AttributeSecurity(read: read ?? .none, write: write ?? .none)
  }

  private mutating func passkey(_ node: Node) -> UInt32? {
    if let text = node.text, (1...6).contains(text.utf8.count), let number = UInt32(text),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    {
      return number
    }
    problems.append(node.problem("\(shown(node)) is no passkey", expected: "up to six digits"))
    return nil
  }
}
