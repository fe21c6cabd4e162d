// A change of an advertisement, written as in a device file.

public import Documents

extension DeviceFile {
  /// Reads a change of what a device advertises, such as
  /// `{ rssi: -70, manufacturer-data: { 0x004c: "02 15" } }`.
  ///
  /// - Parameters:
  ///   - text: Keys of an advertisement, in YAML. What a key is not given for stays as it is.
  ///   - advertisement: What the device advertises now.
  ///   - device: The device that advertises it.
  ///   - file: The name of the text in error messages.
  /// - Returns: The changed advertisement, and whether the text sets the RSSI or its spread.
  /// - Throws: `Problem` with everything that is wrong.
  public static func parseAdvertisement(
    _ text: String,
    changing advertisement: AdvertisementDefinition,
    of device: DeviceDefinition,
    file: String = "advertisement"
  ) throws(Problem) -> (advertisement: AdvertisementDefinition, setsRSSI: Bool) {
    let root: Node
    do throws(DocumentErrors) {
      root = try Document.parse(text, file: file)
    } catch {
      throw Problem(allOf: error)
    }
    return try readAdvertisement(root, changing: advertisement, of: device)
  }

  /// Reads the same of a node.
  static func readAdvertisement(
    _ root: Node,
    changing advertisement: AdvertisementDefinition,
    of device: DeviceDefinition
  ) throws(Problem) -> (advertisement: AdvertisementDefinition, setsRSSI: Bool) {
    do throws(DocumentErrors) {
      var changed = advertisement
      if root.value(of: "manufacturer-data") != nil {
        changed.manufacturerData = []
        changed.live.removeAll { if case .manufacturer = $0.field { true } else { false } }
      }
      if root.value(of: "service-data") != nil {
        changed.serviceData = []
        changed.live.removeAll { if case .service = $0.field { true } else { false } }
      }
      var reader = DeviceReader(attributeNames: device.names)
      DeviceReader.readAdvertisement(root, into: &changed, &reader)
      reader.checkReferences(in: device)
      guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
      let setsRSSI = ["rssi", "rssi-spread"].contains { root.value(of: $0) != nil }
      return (changed, setsRSSI)
    } catch {
      throw Problem(allOf: error)
    }
  }
}

extension Problem {
  /// Everything that is wrong with a text, on one line.
  init(allOf errors: DocumentErrors) {
    self.init(errors.problems.map(\.description).joined(separator: "; "))
  }
}
