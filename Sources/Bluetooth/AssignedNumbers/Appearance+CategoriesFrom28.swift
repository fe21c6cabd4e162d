// Appearance categories from 28: household, vehicles, medical devices and others.
//
// Data only, as the Bluetooth SIG publishes them.

extension Appearance {
  /// Categories from 28.
  static let categoriesFrom28: [Category] = [
    Category(
      28,
      "Access Control",
      [
        "Access Door", "Garage Door", "Emergency Exit Door", "Access Lock", "Elevator", "Window",
        "Entrance Gate", "Door Lock", "Locker",
      ]
    ),
    Category(
      29,
      "Motorized Device",
      [
        "Motorized Gate", "Awning", "Blinds or Shades", "Curtains", "Screen",
      ]
    ),
    Category(
      30,
      "Power Device",
      [
        "Power Outlet", "Power Strip", "Plug", "Power Supply", "LED Driver",
        "Fluorescent Lamp Gear", "HID Lamp Gear", "Charge Case", "Power Bank",
      ]
    ),
    Category(
      31,
      "Light Source",
      [
        "Incandescent Light Bulb", "LED Lamp", "HID Lamp", "Fluorescent Lamp", "LED Array",
        "Multi-Color LED Array", "Low voltage halogen", "Organic light emitting diode (OLED)",
      ]
    ),
    Category(
      32,
      "Window Covering",
      [
        "Window Shades", "Window Blinds", "Window Awning", "Window Curtain", "Exterior Shutter",
        "Exterior Screen",
      ]
    ),
    Category(
      33,
      "Audio Sink",
      [
        "Standalone Speaker", "Soundbar", "Bookshelf Speaker", "Standmounted Speaker",
        "Speakerphone",
      ]
    ),
    Category(
      34,
      "Audio Source",
      [
        "Microphone", "Alarm", "Bell", "Horn", "Broadcasting Device", "Service Desk", "Kiosk",
        "Broadcasting Room", "Auditorium",
      ]
    ),
    Category(
      35,
      "Motorized Vehicle",
      [
        "Car", "Large Goods Vehicle", "2-Wheeled Vehicle", "Motorbike", "Scooter", "Moped",
        "3-Wheeled Vehicle", "Light Vehicle", "Quad Bike", "Minibus", "Bus", "Trolley",
        "Agricultural Vehicle", "Camper / Caravan", "Recreational Vehicle / Motor Home",
      ]
    ),
    Category(
      36,
      "Domestic Appliance",
      [
        "Refrigerator", "Freezer", "Oven", "Microwave", "Toaster", "Washing Machine", "Dryer",
        "Coffee maker", "Clothes iron", "Curling iron", "Hair dryer", "Vacuum cleaner",
        "Robotic vacuum cleaner", "Rice cooker", "Clothes steamer",
      ]
    ),
    Category(37, "Wearable Audio Device", ["Earbud", "Headset", "Headphones", "Neck Band"]),
    Category(
      38,
      "Aircraft",
      [
        "Light Aircraft", "Microlight", "Paraglider", "Large Passenger Aircraft",
      ]
    ),
    Category(
      39,
      "AV Equipment",
      [
        "Amplifier", "Receiver", "Radio", "Tuner", "Turntable", "CD Player", "DVD Player",
        "Bluray Player", "Optical Disc Player", "Set-Top Box",
      ]
    ),
    Category(40, "Display Equipment", ["Television", "Monitor", "Projector"]),
    Category(
      41,
      "Hearing aid",
      [
        "In-ear hearing aid", "Behind-ear hearing aid", "Cochlear Implant",
      ]
    ),
    Category(42, "Gaming", ["Home Video Game Console", "Portable handheld console"]),
    Category(43, "Signage", ["Digital Signage", "Electronic Label"]),
    Category(49, "Pulse Oximeter", ["Fingertip Pulse Oximeter", "Wrist Worn Pulse Oximeter"]),
    Category(50, "Weight Scale"),
    Category(51, "Personal Mobility Device", ["Powered Wheelchair", "Mobility Scooter"]),
    Category(52, "Continuous Glucose Monitor"),
    Category(
      53,
      "Insulin Pump",
      [
        "Insulin Pump, durable pump", nil, nil, "Insulin Pump, patch pump", nil, nil, nil,
        "Insulin Pen",
      ]
    ),
    Category(54, "Medication Delivery"),
    Category(55, "Spirometer", ["Handheld Spirometer"]),
    Category(
      81,
      "Outdoor Sports Activity",
      [
        "Location Display", "Location and Navigation Display", "Location Pod",
        "Location and Navigation Pod",
      ]
    ),
  ]
}
