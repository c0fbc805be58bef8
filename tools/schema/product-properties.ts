/** Properties that ship with the product. Their ids are globalSourceIds that tenants keep: below 10,001, given once and never again. */
import type { DataType, PortableProperty } from '#tools/properties/properties.schema.ts'

type More = Omit<PortableProperty, 'internalName' | 'dataType' | 'displays' | 'category' | 'propertyOptions'>
type Row = readonly [
  id: number,
  internalName: string,
  dataType: DataType,
  category: string,
  name: string,
  description: string,
  more?: More & { options?: string },
]

/** Options are written as "Name: Shown name" or, where a Hierarchy has levels, as "Parent > Name: Shown name". */
const rows: readonly Row[] = [
  [1, 'Name', 'Text', 'General', 'Name', 'What people call it', { maxValueOrLength: 200 }],
  [2, 'Code', 'Text', 'General', 'Code', 'Short and unique, as printed on labels', { maxValueOrLength: 40, regEx: '^[A-Za-z0-9._-]+$' }],
  [3, 'Description', 'Text', 'General', 'Description', '', { maxValueOrLength: 4_000 }],
  [4, 'Notes', 'Text', 'General', 'Notes', '', { maxValueOrLength: 32_768 }],
  [5, 'Title', 'Text', 'General', 'Title', 'One line', { maxValueOrLength: 200 }],
  [6, 'IsActive', 'Boolean', 'General', 'Active', 'In use today'],
  [7, 'Quantity', 'Number', 'General', 'Quantity', '', { minValueOrLength: 0, maxDecimalPlaces: 3 }],
  [8, 'Tags', 'Text', 'General', 'Tags', 'One word each; attach it as a list', { maxValueOrLength: 60 }],
  [9, 'Website', 'Text', 'General', 'Website', '', { maxValueOrLength: 400, regEx: '^https?://' }],
  [20, 'FirstName', 'Text', 'Identity', 'First name', '', { maxValueOrLength: 100 }],
  [21, 'LastName', 'Text', 'Identity', 'Last name', '', { maxValueOrLength: 100 }],
  [
    22,
    'Email',
    'Text',
    'Identity',
    'E-mail',
    'Links the record to the user who has it',
    { maxValueOrLength: 320, regEx: '^[^@\\s]+@[^@\\s]+$', isIdentityEmail: true },
  ],
  [
    23,
    'Phone',
    'Text',
    'Identity',
    'Phone',
    'International, with the leading +; links the record to the user who has it',
    { maxValueOrLength: 20, regEx: '^\\+[0-9]{6,15}$', isIdentityPhone: true },
  ],
  [24, 'JobTitle', 'Text', 'Identity', 'Job title', '', { maxValueOrLength: 100, isTenantUserRole: true }],
  [25, 'EmployeeNumber', 'Text', 'Identity', 'Employee number', '', { maxValueOrLength: 30 }],
  [26, 'Company', 'Text', 'Identity', 'Company', '', { maxValueOrLength: 200 }],
  [27, 'NationalId', 'Text', 'Identity', 'National id', 'Of a person', { maxValueOrLength: 40, isSensitive: true }],
  [28, 'DateOfBirth', 'DateOnly', 'Identity', 'Date of birth', '', { isSensitive: true }],
  [40, 'Street', 'Text', 'Location', 'Street', '', { maxValueOrLength: 200 }],
  [41, 'City', 'Text', 'Location', 'City', '', { maxValueOrLength: 100 }],
  [42, 'PostalCode', 'Text', 'Location', 'Postal code', '', { maxValueOrLength: 20 }],
  [43, 'Region', 'Text', 'Location', 'Region', 'State, province or county', { maxValueOrLength: 100 }],
  [44, 'CountryCode', 'Text', 'Location', 'Country', 'Two letters, ISO 3166', { regEx: '^[A-Z]{2}$' }],
  [
    45,
    'Latitude',
    'Number',
    'Location',
    'Latitude',
    'Degrees, north is positive',
    { minValueOrLength: -90, maxValueOrLength: 90, maxDecimalPlaces: 7 },
  ],
  [
    46,
    'Longitude',
    'Number',
    'Location',
    'Longitude',
    'Degrees, east is positive',
    { minValueOrLength: -180, maxValueOrLength: 180, maxDecimalPlaces: 7 },
  ],
  [60, 'StartsAt', 'DateTime', 'Time', 'Starts', ''],
  [61, 'EndsAt', 'DateTime', 'Time', 'Ends', ''],
  [62, 'DueDate', 'DateOnly', 'Time', 'Due', ''],
  [63, 'CompletedAt', 'DateTime', 'Time', 'Completed', ''],
  [64, 'InstalledOn', 'DateOnly', 'Time', 'Installed on', ''],
  [65, 'WarrantyUntil', 'DateOnly', 'Time', 'Warranty until', ''],
  [66, 'OpensAt', 'TimeOnly', 'Time', 'Opens at', ''],
  [67, 'ClosesAt', 'TimeOnly', 'Time', 'Closes at', ''],
  [68, 'DurationHours', 'Number', 'Time', 'Hours', '', { minValueOrLength: 0, maxDecimalPlaces: 2 }],
  [80, 'Amount', 'Currency', 'Money', 'Amount', '', { maxDecimalPlaces: 2 }],
  [81, 'CurrencyCode', 'Text', 'Money', 'Currency', 'Three letters, ISO 4217', { regEx: '^[A-Z]{3}$' }],
  [82, 'UnitPrice', 'Currency', 'Money', 'Unit price', '', { minValueOrLength: 0, maxDecimalPlaces: 4 }],
  [83, 'PaymentStatus', 'Choice', 'Money', 'Payment', '', { options: 'Open: Open, Paid: Paid, Overdue: Overdue, Cancelled: Cancelled' }],
  [100, 'Photo', 'Attachment', 'Media', 'Photo', '', { allowedFileTypes: ['jpg', 'jpeg', 'png', 'heic', 'webp'] }],
  [101, 'Document', 'Attachment', 'Media', 'Document', '', { allowedFileTypes: ['pdf', 'docx', 'xlsx', 'txt'] }],
  [102, 'CustomerSignature', 'Signature', 'Media', 'Signature of the customer', ''],
  [103, 'RecognizedText', 'Text', 'Media', 'Recognised text', 'Written by the analysis of an attachment', { maxValueOrLength: 32_768 }],
  [104, 'RecognizedLabel', 'Text', 'Media', 'Recognised label', 'Written by the analysis of an attachment', { maxValueOrLength: 200 }],
  [120, 'OrderNumber', 'Text', 'Work', 'Order number', '', { maxValueOrLength: 40 }],
  [
    121,
    'Priority',
    'Choice',
    'Work',
    'Priority',
    'How soon the work must begin',
    { options: 'Low: Low, Normal: Normal, High: High, Urgent: Urgent' },
  ],
  [
    122,
    'WorkStatus',
    'Choice',
    'Work',
    'Status',
    '',
    { options: 'New: New, Planned: Planned, InProgress: In progress, OnHold: On hold, Done: Done, Cancelled: Cancelled' },
  ],
  [
    123,
    'WorkType',
    'Choice',
    'Work',
    'Kind of work',
    '',
    { options: 'Inspection: Inspection, Maintenance: Maintenance, Repair: Repair, Installation: Installation, Emergency: Emergency' },
  ],
  [124, 'Result', 'Choice', 'Work', 'Result', '', { options: 'Pass: Pass, Fail: Fail, NotApplicable: Not applicable' }],
  [125, 'Severity', 'Choice', 'Work', 'Severity', '', { options: 'Minor: Minor, Major: Major, Critical: Critical' }],
  [126, 'Finding', 'Text', 'Work', 'Finding', 'What was seen', { maxValueOrLength: 4_000 }],
  [127, 'CorrectiveAction', 'Text', 'Work', 'Corrective action', '', { maxValueOrLength: 4_000 }],
  [140, 'SerialNumber', 'Text', 'Work', 'Serial number', 'As on the plate', { maxValueOrLength: 60 }],
  [141, 'Manufacturer', 'Text', 'Work', 'Manufacturer', '', { maxValueOrLength: 120 }],
  [142, 'Model', 'Text', 'Work', 'Model', '', { maxValueOrLength: 120 }],
  [
    143,
    'EquipmentStatus',
    'Choice',
    'Work',
    'Condition',
    '',
    { options: 'InService: In service, OutOfService: Out of service, InRepair: In repair, Retired: Retired' },
  ],
  [
    144,
    'EquipmentType',
    'Hierarchy',
    'Work',
    'Kind of equipment',
    '',
    {
      options:
        'Electrical: Electrical, Electrical > Generator: Generator, Electrical > Switchgear: Switchgear, Mechanical: Mechanical, Mechanical > Pump: Pump, Mechanical > Compressor: Compressor, Vehicle: Vehicle, Vehicle > Van: Van, Vehicle > Truck: Truck',
    },
  ],
  [145, 'MeterReading', 'Number', 'Work', 'Meter reading', '', { minValueOrLength: 0, maxDecimalPlaces: 3, vertical: 'Utilities' }],
  [
    146,
    'MeterUnit',
    'Choice',
    'Work',
    'Unit of the meter',
    '',
    { vertical: 'Utilities', options: 'kWh: kWh, CubicMetre: m³, Litre: l, Hour: h' },
  ],
  [160, 'IataCode', 'Text', 'Location', 'IATA code', 'Three letters', { vertical: 'Aviation', regEx: '^[A-Z]{3}$' }],
  [161, 'IcaoCode', 'Text', 'Location', 'ICAO code', 'Four letters', { vertical: 'Aviation', regEx: '^[A-Z]{4}$' }],
  [162, 'ElevationFeet', 'Number', 'Location', 'Elevation (feet)', '', { vertical: 'Aviation', maxDecimalPlaces: 1 }],
]

/** "Parent > Name: Shown name, …" as options. */
function readOptions(text: string): NonNullable<PortableProperty['propertyOptions']> {
  return text.split(', ').map((one) => {
    const [place = '', shown = ''] = one.split(': ')
    const [parentOrName = '', name] = place.split(' > ')
    const displays = [{ languageCode: 'en-US', name: shown }]
    return name === undefined ? { internalName: parentOrName, displays } : { internalName: name, parent: parentOrName, displays }
  })
}

export const productProperties: readonly { readonly id: number; readonly definition: PortableProperty }[] = rows.map(
  ([id, internalName, dataType, category, name, description, more = {}]) => {
    const { options, ...rules } = more
    return {
      id,
      definition: {
        internalName,
        dataType,
        category,
        displays: [{ languageCode: 'en-US', name, ...(description === '' ? {} : { description }) }],
        ...(options === undefined ? {} : { propertyOptions: readOptions(options) }),
        ...rules,
      },
    }
  },
)
