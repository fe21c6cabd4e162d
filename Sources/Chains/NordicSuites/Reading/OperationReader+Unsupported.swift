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
  static let phy = Unsupported(
    reason: "bluetoothd has no call for the PHY of a connection",
    hint: "expected=\"SUCCESS_WARNING_ON_FAIL\" makes it a warning"
  )
  static let priority = Unsupported(
    reason: "bluetoothd has no call that requests other connection parameters",
    hint: "the step connection-parameters of a chain reads them from a trace"
  )
  static let dfu = Unsupported(
    reason: "blerun sends no firmware images", hint: "nrfutil does, before or after the suite"
  )
  static let mcu = Unsupported(
    reason: "blerun sends no firmware images", hint: "mcumgr does, before or after the suite"
  )
  static let eddystone = Unsupported(
    reason: "blerun does not encrypt the challenge of an Eddystone beacon"
  )
}

extension ElementReader {
  /// An image of firmware, and attributes with any text.
  mutating func image(_ optional: String...) {
    _ = required("file", expected: "a text") { $0 }
    for name in optional { _ = text(name) }
  }

  mutating func phys() {
    let known = ["LE_1M", "LE_2M", "LE_CODED"]
    for name in ["tx", "rx"] {
      _ = optional(name, expected: "LE_1M, LE_2M or LE_CODED, with | between them") { text in
        let words = text.split(separator: "|", omittingEmptySubsequences: false)
        return words.allSatisfy { known.contains($0.filter { $0 != " " }) } ? words : nil
      }
    }
  }
}

extension OperationReader {
  /// The PHYs that the children of an operation assert.
  func assertedPHYs(_ reader: inout ElementReader) {
    for element in reader.element.children where element.name == "assert-value" {
      var own = self.reader(element)
      _ = own.text("description")
      let _: ExpectedResult? = own.choice("expected")
      own.phys()
      own.finish()
    }
  }
}
