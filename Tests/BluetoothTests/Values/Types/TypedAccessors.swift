// All accessors of characteristics with a type.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

import Bluetooth

/// The accessors, in the order of the families.
func typedAccessors() -> [TypedAccessor] {
  var all: [TypedAccessor] = []
  all += heartRateAccessors()
  all += thermometerAccessors()
  all += batteryAccessors()
  all += genericAccessAccessors()
  all += alertAccessors()
  all += deviceInformationAccessors()
  all += bloodPressureAccessors()
  all += glucoseAccessors()
  all += recordAccessAccessors()
  all += cyclingAccessors()
  all += runningAccessors()
  all += cyclingPowerAccessors()
  all += environmentAccessors()
  all += airAccessors()
  all += windAccessors()
  all += timeAccessors()
  all += timeUpdateAccessors()
  all += weightAccessors()
  all += bodyCompositionAccessors()
  all += oximeterAccessors()
  return all
}

private func heartRateAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.heartRateMeasurement),
    TypedAccessor(.bodySensorLocation),
    TypedAccessor(.heartRateControlPoint),
  ]
}

private func thermometerAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.temperatureMeasurement),
    TypedAccessor(.temperatureType),
    TypedAccessor(.intermediateTemperature),
    TypedAccessor(.measurementInterval),
  ]
}

private func batteryAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.batteryLevel),
    TypedAccessor(.batteryLevelStatus),
  ]
}

private func genericAccessAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.deviceName),
    TypedAccessor(.appearance),
    TypedAccessor(.peripheralPreferredConnectionParameters),
    TypedAccessor(.serviceChanged),
    TypedAccessor(.centralAddressResolution),
    TypedAccessor(.resolvablePrivateAddressOnly),
    TypedAccessor(.clientSupportedFeatures),
    TypedAccessor(.databaseHash),
    TypedAccessor(.serverSupportedFeatures),
  ]
}

private func alertAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.alertLevel),
    TypedAccessor(.txPowerLevel),
  ]
}

private func deviceInformationAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.systemID),
    TypedAccessor(.modelNumberString),
    TypedAccessor(.serialNumberString),
    TypedAccessor(.firmwareRevisionString),
    TypedAccessor(.hardwareRevisionString),
    TypedAccessor(.softwareRevisionString),
    TypedAccessor(.manufacturerNameString),
    TypedAccessor(.ieee1107320601RegulatoryCertificationDataList),
    TypedAccessor(.pnpID),
  ]
}

private func bloodPressureAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.bloodPressureMeasurement),
    TypedAccessor(.intermediateCuffPressure),
    TypedAccessor(.bloodPressureFeature),
  ]
}

private func glucoseAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.glucoseMeasurement),
    TypedAccessor(.glucoseMeasurementContext),
    TypedAccessor(.glucoseFeature),
  ]
}

private func recordAccessAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.recordAccessControlPoint)
  ]
}

private func cyclingAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.cscMeasurement),
    TypedAccessor(.cscFeature),
    TypedAccessor(.sensorLocation),
    TypedAccessor(.scControlPoint),
  ]
}

private func runningAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.rscMeasurement),
    TypedAccessor(.rscFeature),
  ]
}

private func cyclingPowerAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.cyclingPowerMeasurement),
    TypedAccessor(.cyclingPowerVector),
    TypedAccessor(.cyclingPowerFeature),
  ]
}

private func environmentAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.elevation),
    TypedAccessor(.pressure),
    TypedAccessor(.temperature),
    TypedAccessor(.humidity),
    TypedAccessor(.pollenConcentration),
    TypedAccessor(.uvIndex),
    TypedAccessor(.irradiance),
    TypedAccessor(.rainfall),
    TypedAccessor(.windChill),
    TypedAccessor(.heatIndex),
    TypedAccessor(.dewPoint),
    TypedAccessor(.magneticDeclination),
    TypedAccessor(.magneticFluxDensity2D),
    TypedAccessor(.magneticFluxDensity3D),
    TypedAccessor(.barometricPressureTrend),
  ]
}

private func airAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.illuminance),
    TypedAccessor(.co2Concentration),
    TypedAccessor(.vocConcentration),
    TypedAccessor(.carbonMonoxideConcentration),
    TypedAccessor(.nonMethaneVolatileOrganicCompoundsConcentration),
    TypedAccessor(.particulateMatterPM1Concentration),
    TypedAccessor(.particulateMatterPM25Concentration),
    TypedAccessor(.particulateMatterPM10Concentration),
  ]
}

private func windAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.trueWindSpeed),
    TypedAccessor(.trueWindDirection),
    TypedAccessor(.apparentWindSpeed),
    TypedAccessor(.apparentWindDirection),
    TypedAccessor(.gustFactor),
  ]
}

private func timeAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.dateTime),
    TypedAccessor(.dayOfWeek),
    TypedAccessor(.dayDateTime),
    TypedAccessor(.exactTime256),
    TypedAccessor(.dstOffset),
    TypedAccessor(.timeZone),
    TypedAccessor(.localTimeInformation),
    TypedAccessor(.timeWithDST),
    TypedAccessor(.timeAccuracy),
    TypedAccessor(.timeSource),
    TypedAccessor(.referenceTimeInformation),
    TypedAccessor(.currentTime),
  ]
}

private func timeUpdateAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.timeUpdateControlPoint),
    TypedAccessor(.timeUpdateState),
  ]
}

private func weightAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.weightMeasurement),
    TypedAccessor(.weightScaleFeature),
  ]
}

private func bodyCompositionAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.bodyCompositionFeature),
    TypedAccessor(.bodyCompositionMeasurement),
  ]
}

private func oximeterAccessors() -> [TypedAccessor] {
  [
    TypedAccessor(.plxSpotCheckMeasurement),
    TypedAccessor(.plxContinuousMeasurement),
    TypedAccessor(.plxFeatures),
  ]
}
