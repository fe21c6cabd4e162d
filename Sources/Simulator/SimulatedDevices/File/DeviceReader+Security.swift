// Pairing and protected attributes in a device file.

import Documents

extension DeviceReader {
  /// `security: { pairing: passkey-entry, passkey: 042137 }`, of a device.
  static let pairingShape = Shape.mapping(pairingForm).named("pairing")

  static let pairingForm = DeviceForm<PairingDefinition>(
    "How it pairs.", PairingDefinition(),
    [
      DeviceKey(
        "pairing", \.method, .word, isRequired: true, "what the device, and the person at it, do"
      ),
      DeviceKey("passkey", \.passkey, passkey, "the passkey, up to six digits"),
    ],
    rules: [
      KeyRule(
        schema: [
          "if": ["properties": ["pairing": ["const": "passkey-entry"]], "required": ["pairing"]],
          "then": ["required": ["passkey"]],
        ]
      ) { node in
        guard method(node) == .passkeyEntry, node.value(of: "passkey") == nil else { return nil }
        return node.problem("the device's passkey is missing", expected: "up to six digits")
      },
      KeyRule(
        schema: [
          "if": [
            "properties": ["pairing": ["enum": ["just-works", "reject"]]], "required": ["pairing"],
          ],
          "then": ["not": ["required": ["passkey"]]],
        ]
      ) { node in
        guard let method = method(node), [.justWorks, .reject].contains(method) else { return nil }
        return node.value(of: "passkey")?
          .problem("pairing by '\(method.rawValue)' has no passkey")
      },
    ]
  )

  @Sendable private static func method(_ node: Node) -> PairingDefinition.Method? {
    node.value(of: "pairing")?.text.flatMap { PairingDefinition.Method(rawValue: $0) }
  }

  private static let passkey = DeviceShape<UInt32>(
    "up to six digits", schema: Schema(["type": ["string", "integer"]])
  ) { node, reader in
    if let text = node.text, (1...6).contains(text.utf8.count), let number = UInt32(text),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    {
      return number
    }
    reader.problems.append(
      node.problem("invalid passkey: \(node.shown)", expected: "up to six digits")
    )
    return nil
  }

  /// `security: encrypted`, or `security: { read: none, write: authenticated }`, of an attribute.
  static let securityShape: DeviceShape<AttributeSecurity> = {
    let level = DeviceShape<LinkSecurity>.word
    return DeviceShape(
      "\(level.expected), or such for `read` and `write`",
      schema: Schema.any([level.schema, securityForm.schema])
        .described("What the attribute demands of the link.").named("attributeSecurity")
    ) { node, reader in
      guard node.mapping == nil else { return securityForm.read(node, &reader) }
      return level.read(node, &reader).map { AttributeSecurity(read: $0, write: $0) }
    }
  }()

  static let securityForm = DeviceForm<AttributeSecurity>(
    "For reading, and for writing.",
    AttributeSecurity(),
    [
      DeviceKey("read", \.read, .word, "to read it, and to subscribe to it"),
      DeviceKey("write", \.write, .word, "to write it"),
    ]
  )
}
