// The devices of a batch that an interrupted round left over.

public import Documents
import RunEvents

extension PreviousRound {
  /// The remaining devices of a batch; nil if a scan must find them first.
  ///
  /// - Throws: `DocumentErrors` if the chain is invalid for a device that the scan found.
  func left(of batch: Batch) throws(DocumentErrors) -> [BatchDevice]? {
    switch batch.devices {
    case .listed(let devices): return left(of: devices)
    case .scanned(let scan): return devices.isEmpty ? nil : left(of: try scan.devices(self))
    }
  }

  func left(of devices: [BatchDevice]) -> [BatchDevice] {
    devices.filter { !skips($0.label) }
  }
}

extension Batch {
  /// Returns the batch with only its remaining devices; unchanged if a scan must find them first.
  ///
  /// ```swift
  /// let past = PreviousRound(
  ///   round: 1, devices: [.init(label: "hall", ending: .init(.ok)), .init(label: "attic")],
  ///   skipsFailed: false)
  /// let rest = try Batch.load(path: "fleet.yaml").left(after: past)  // without the hall
  /// ```
  ///
  /// - Throws: `DocumentErrors` if the chain is invalid for a device that a scan found.
  public func left(after past: PreviousRound) throws(DocumentErrors) -> Batch {
    guard let left = try past.left(of: self) else { return self }
    var batch = self
    batch.devices = .listed(left)
    return batch
  }

  /// The function that completes the recorded steps of an interrupted round with what only the plans
  /// have: titles, in which captured values are not substituted, and places in the file.
  package func completion(of past: PreviousRound) -> ReportedStep.Completion {
    let devices =
      switch self.devices {
      case .listed(let devices): devices
      // A chain that is invalid for a device is reported when the rest of the round begins.
      case .scanned(let scan): (try? scan.devices(past)) ?? []
      }
    var steps: [String: [StepPosition: ReportedStep]] = [:]
    for device in devices {
      let placed = device.plan.placedSteps.flatMap(\.all)
      steps[device.label] = Dictionary(
        uniqueKeysWithValues: placed.map { ($0.position, $0.reported) }
      )
    }
    return { [steps] step, device in
      steps[device]?[step.position.written]?.at(step.position) ?? step
    }
  }
}
