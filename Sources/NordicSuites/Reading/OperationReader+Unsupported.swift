// Operations that this host cannot do: they are read like others, and fail when run.

import Bluetooth

extension Unsupported {
  /// The operations of a macro as a GATT server.
  static let server = Unsupported(
    reason: "blerun is a GATT client and serves no attributes",
    hint: "let the suite read and write the device instead"
  )

  /// - Source: BlueZ, `doc/org.bluez.Device.rst`: it has no call for the PHY or for connection
  ///   parameters.
  fileprivate static let phy = Unsupported(
    reason: "bluetoothd has no call for the PHY of a connection",
    hint: "expected=\"SUCCESS_WARNING_ON_FAIL\" makes it a warning"
  )
  fileprivate static let priority = Unsupported(
    reason: "bluetoothd has no call that requests other connection parameters",
    hint: "the step connection-parameters of a chain reads them from a trace"
  )
  fileprivate static let dfu = Unsupported(
    reason: "blerun sends no firmware images",
    hint: "nrfutil does, before or after the suite"
  )
  fileprivate static let mcu = Unsupported(
    reason: "blerun sends no firmware images",
    hint: "mcumgr does, before or after the suite"
  )
  fileprivate static let eddystone = Unsupported(
    reason: "blerun does not encrypt the challenge of an Eddystone beacon"
  )
}

extension OperationReader {
  /// The attributes of an operation that have any text.
  private func update(
    _ reason: Unsupported,
    _ optional: [String],
    _ reader: inout ElementReader
  ) -> Operation.Action {
    _ = reader.required("file", expected: "a text") { $0 }
    for name in optional { _ = reader.text(name) }
    reader.finish()
    return .unsupported(reason)
  }

  func firmware(_ reader: inout ElementReader) -> Operation.Action {
    update(.dfu, ["initFile", "type"], &reader)
  }

  func mcuImage(_ reader: inout ElementReader) -> Operation.Action {
    let optional = [
      "mode", "swap-time", "number-of-buffers", "memory-alignment", "erase-app-storage",
    ]
    return update(.mcu, optional, &reader)
  }

  func priority(_ reader: inout ElementReader) -> Operation.Action {
    _ = reader.word("type", among: ["LOW_POWER", "BALANCED", "HIGH"])
    reader.finish()
    return .unsupported(.priority)
  }

  // MARK: PHY

  private func phys(_ reader: inout ElementReader) {
    for name in ["tx", "rx"] {
      _ = reader.optional(name, expected: "LE_1M, LE_2M or LE_CODED, with | between them") { text in
        let words = text.split(separator: "|", omittingEmptySubsequences: false)
          .map { $0.filter { $0 != " " } }
        return words.allSatisfy { ["LE_1M", "LE_2M", "LE_CODED"].contains($0) } ? words : nil
      }
    }
  }

  func readPHY(_ reader: inout ElementReader) -> Operation.Action {
    reader.finish(children: ["assert-value"])
    for element in reader.element.children where element.name == "assert-value" {
      var own = self.reader(element)
      _ = own.text("description")
      let _: ExpectedResult? = own.choice("expected")
      phys(&own)
      own.finish()
    }
    return .unsupported(.phy)
  }

  func preferPHY(_ reader: inout ElementReader) -> Operation.Action {
    phys(&reader)
    _ = reader.word("option", among: ["NO_PREFERRED", "S2", "S8"])
    reader.finish()
    return .unsupported(.phy)
  }

  // MARK: Beacons and servers

  func unlock(_ reader: inout ElementReader) -> Operation.Action {
    _ = path(&reader)
    _ = reader.text("type")
    _ = reader.required("key", expected: "32 hexadecimal digits") { $0.count == 32 ? $0 : nil }
    reader.finish()
    return .unsupported(.eddystone)
  }

  /// Reads the same children as `assert-service`.
  func serverService(_ reader: inout ElementReader) -> Operation.Action {
    _ = assertService(&reader)
    return .unsupported(.server)
  }

  func serverExecution(_ reader: inout ElementReader) -> Operation.Action {
    _ = reader.required("execute", expected: "true or false") {
      ["true", "false"].contains($0) ? $0 : nil
    }
    reader.finish()
    return .unsupported(.server)
  }

  func server(
    _ reader: inout ElementReader,
    isDescriptor: Bool = false,
    hasValue: Bool = false,
    assertsValue: Bool = false
  ) -> Operation.Action {
    _ = path(&reader, isDescriptor: isDescriptor)
    if hasValue { _ = reader.value() }
    if assertsValue { _ = values(in: &reader) }
    reader.finish(children: assertsValue ? ["assert-value"] : [])
    return .unsupported(.server)
  }
}
