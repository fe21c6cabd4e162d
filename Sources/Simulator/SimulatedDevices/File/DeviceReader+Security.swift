// Pairing and protected attributes in a device file.

import Documents

extension DeviceReader {
  /// `security: { pairing: passkey-entry, passkey: 042137, request: connected }`, of a device.
  static let pairingShape = Shape.mapping(pairingForm).named("pairing")

  static let pairingForm = DeviceForm<PairingDefinition>(
    "How it pairs.", PairingDefinition(),
    pairingKeys + [
      DeviceKey(
        "request", \.request, securityRequest, usual: "it waits for the host",
        "when the device itself asks to pair, see [below](#a-device-that-asks-to-pair)"
      )
    ],
    rules: pairingRules
  )

  /// `security`, of a program on an adapter.
  static let adapterPairingShape = Shape.mapping(
    DeviceForm<PairingDefinition>(
      "How it pairs.", PairingDefinition(), pairingKeys, rules: pairingRules
    )
  ).named("adapterPairing")

  private static let pairingKeys: [DeviceKey<PairingDefinition>] = [
    DeviceKey(
      "pairing", \.method, .word, isRequired: true, "what the device, and the person at it, do"
    ),
    DeviceKey("passkey", \.passkey, passkey, "the passkey, up to six digits"),
  ]

  private static let pairingRules: [KeyRule] = [
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

  // MARK: Security Requests

  /// `request: connected`, or `request: { after: written, characteristic: fff2, delay: 2s }`.
  private static let securityRequest: DeviceShape<SecurityRequest> = {
    let moment = DeviceShape<SecurityRequest.Moment>.word
    return DeviceShape(
      "\(moment.expected), or such with `after`",
      schema: Schema.any([moment.schema, securityRequestForm.schema])
        .described("When the device asks to pair.").named("securityRequest")
    ) { node, reader in
      guard node.mapping != nil else {
        return moment.read(node, &reader).map { SecurityRequest($0) }
      }
      let request = securityRequestForm.read(node, &reader)
      reader.check(request, node)
      return request
    }
  }()

  static let securityRequestForm = DeviceForm<SecurityRequest>(
    "When the device asks to pair.", SecurityRequest(.connected),
    [
      DeviceKey("after", \.moment, .word, isRequired: true, "an event of the connection"),
      DeviceKey(
        "characteristic", \.characteristic, .selector, usual: "any",
        "only events of this one, named as [anywhere](#services-and-characteristics)"
      ),
      DeviceKey("delay", \.delay, .delay, "how long after the event"),
      DeviceKey(
        "disconnect", \.disconnectDelay, .delay, usual: "it stays connected",
        "how long after the request the device disconnects, if the connection is not encrypted by then"
      ),
    ]
  )

  /// Reports a characteristic that does not fit the event.
  private mutating func check(_ request: SecurityRequest, _ node: Node) {
    // An unknown event has been reported already.
    guard let selector = request.characteristic, let place = node.value(of: "characteristic"),
      node.value(of: "after")?.text == request.moment.rawValue
    else { return }
    let need: Reference.Need
    switch request.moment {
    case .connected:
      problems.append(
        place.problem("'\(request.moment.rawValue)' does not take a characteristic")
      )
      return
    case .read: need = .read
    case .written: need = .write
    case .subscribed: need = .notify
    }
    references.append(Reference(characteristic: selector, node: place, need: need))
  }

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
