// Decoded service data that may have been encrypted.

/// Service data in a well-known format: decoded, or the reason why it is not.
public enum AdvertisedReading: Equatable, Sendable {
  /// The fields, also of a frame that was decrypted.
  case decoded(AdvertisedFormat)
  /// A frame that stays bytes.
  case encrypted(AdvertisedFormat.Kind, EncryptedReason)
}

/// The reason why an encrypted frame stays bytes.
public enum EncryptedReason: String, Sendable, CaseIterable, CustomStringConvertible {
  case keyMissing = "encrypted; add its key under keys: in a names file"
  case keyDoesNotFit = "encrypted; the key does not fit"
  case malformed = "encrypted; what it contains is malformed"
  /// It is encrypted by MiBeacon 2 or 3.
  case unsupported = "encrypted by MiBeacon before version 4, which is not supported"

  public var description: String { rawValue }
}

extension Advertisement {
  /// The advertisement with its encrypted service data read with keys.
  ///
  /// ```swift
  /// for try await seen in device.scan(ScanFilter()).values {
  ///   print(seen.opened(with: keys))
  /// }
  /// ```
  public func opened(with keys: BindKeys) -> Advertisement {
    var opened = self
    for data in serviceData {
      guard let frame = SealedFrame(data.service, data.data, of: address) else { continue }
      opened.readings[data.service] = keys.read(frame, of: self)
    }
    return opened
  }

  /// The advertisement with the data that a user describes decoded. Of several descriptions of the
  /// same data, the first that fits counts, before well-known formats.
  package func described(by names: AttributeNames) -> Advertisement {
    var described = self
    for description in names.descriptions {
      switch description.source {
      case .serviceData(let service):
        guard described.describedServices[service] == nil,
          let data = serviceData.first(where: { $0.service == service })?.data
        else { continue }
        described.describedServices[service] = AdvertisedFormat(description, data)
      case .manufacturer(let company):
        guard described.describedCompanies[company] == nil,
          let data = manufacturerData.first(where: { $0.company == company })?.data
        else { continue }
        described.describedCompanies[company] = AdvertisedFormat(description, data)
      case .attribute, .none: continue
      }
    }
    return described
  }

  /// Decodes the data of a company; nil when it is in no known format.
  package func reading(ofCompany company: UInt16) -> AdvertisedFormat? {
    if let described = describedCompanies[company] { return described }
    return manufacturerData.first { $0.company == company }
      .flatMap { AdvertisedFormat(company: company, $0.data) }
  }

  /// Decodes the data of a service; nil when it is in no well-known format.
  ///
  /// ```swift
  /// for data in advertisement.serviceData {
  ///   if case .decoded(let format)? = advertisement.reading(of: data.service) { print(format) }
  /// }
  /// ```
  public func reading(of service: BluetoothUUID) -> AdvertisedReading? {
    if let described = describedServices[service] { return .decoded(described) }
    if let reading = readings[service] { return reading }
    guard let data = serviceData.first(where: { $0.service == service })?.data else { return nil }
    if let format = AdvertisedFormat(service: service, data) { return .decoded(format) }
    return SealedFrame(service, data, of: address).map { BindKeys.none.read($0, of: self) }
  }
}
