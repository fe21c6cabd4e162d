// The assigned descriptors.
//
// Data only: 16-bit UUID and name, as the Bluetooth SIG publishes them.

extension AssignedNumbers {
  /// - Source: Bluetooth Assigned Numbers, "Descriptors by UUID".
  static let assignedDescriptors: [(short: UInt16, name: String)] = [
    (0x2900, "Characteristic Extended Properties"),
    (0x2901, "Characteristic User Description"),
    (0x2902, "Client Characteristic Configuration"),
    (0x2903, "Server Characteristic Configuration"),
    (0x2904, "Characteristic Presentation Format"),
    (0x2905, "Characteristic Aggregate Format"),
    (0x2906, "Valid Range"),
    (0x2907, "External Report Reference"),
    (0x2908, "Report Reference"),
    (0x2909, "Number of Digitals"),
    (0x290a, "Value Trigger Setting"),
    (0x290b, "Environmental Sensing Configuration"),
    (0x290c, "Environmental Sensing Measurement"),
    (0x290d, "Environmental Sensing Trigger Setting"),
    (0x290e, "Time Trigger Setting"),
    (0x290f, "Complete BR-EDR Transport Block Data"),
  ]
}
