/** Entities that ship with the product, made of product-properties.ts. Their ids are globalSourceIds too, from 5,001. */
import type { PortableEntity } from '#tools/entities/entities.schema.ts'

interface Row {
  readonly id: number
  readonly internalName: string
  readonly name: string
  readonly description: string
  readonly category: string
  readonly vertical?: string
  /** `!` after a name: required; `#1`: key part 1; `[]`: a list. */
  readonly properties: string
  readonly children?: string
  readonly peers?: string
  readonly isTenantUserRole?: boolean
}

const rows: readonly Row[] = [
  {
    id: 5_001,
    internalName: 'Site',
    name: 'Site',
    description: 'A place where work is done',
    category: 'Location',
    properties: 'Code!#1 Name! Street City PostalCode Region CountryCode Latitude Longitude OpensAt ClosesAt Photo[] Notes',
    children: 'Equipment WorkOrder Inspection',
    peers: 'Contact',
  },
  {
    id: 5_002,
    internalName: 'Equipment',
    name: 'Equipment',
    description: 'A thing that is maintained',
    category: 'Work',
    properties: 'Code!#1 Name! EquipmentType EquipmentStatus Manufacturer Model SerialNumber InstalledOn WarrantyUntil Photo[] Notes',
    children: 'MeterLog',
  },
  {
    id: 5_003,
    internalName: 'WorkOrder',
    name: 'Work order',
    description: 'Work that somebody is asked to do',
    category: 'Work',
    vertical: 'FieldService',
    properties:
      'OrderNumber!#1 Title! Description WorkType WorkStatus Priority DueDate StartsAt CompletedAt DurationHours Photo[] CustomerSignature RecognizedText',
    children: 'WorkLog MaterialUse',
    peers: 'Equipment',
  },
  {
    id: 5_004,
    internalName: 'WorkLog',
    name: 'Work log',
    description: 'What was done on a work order, entry by entry',
    category: 'Work',
    vertical: 'FieldService',
    properties: 'Notes! StartsAt DurationHours Photo[]',
  },
  {
    id: 5_005,
    internalName: 'MaterialUse',
    name: 'Material used',
    description: 'Parts and consumables of a work order',
    category: 'Money',
    vertical: 'FieldService',
    properties: 'Name! Quantity! UnitPrice CurrencyCode',
  },
  {
    id: 5_006,
    internalName: 'Inspection',
    name: 'Inspection',
    description: 'A visit that ends in findings',
    category: 'Work',
    properties: 'OrderNumber!#1 Title! DueDate CompletedAt Result CustomerSignature Photo[] RecognizedText RecognizedLabel',
    children: 'InspectionFinding',
  },
  {
    id: 5_007,
    internalName: 'InspectionFinding',
    name: 'Finding',
    description: 'One thing that an inspection found',
    category: 'Work',
    properties: 'Finding! Severity Result CorrectiveAction DueDate Photo[] RecognizedText RecognizedLabel',
  },
  {
    id: 5_008,
    internalName: 'Contact',
    name: 'Contact',
    description: 'A person outside of the company',
    category: 'Identity',
    properties: 'FirstName LastName! Company JobTitle Email Phone Notes',
  },
  {
    id: 5_009,
    internalName: 'Technician',
    name: 'Technician',
    description: 'A person who does the work, linked to a user by e-mail or phone',
    category: 'Identity',
    vertical: 'FieldService',
    properties: 'EmployeeNumber!#1 FirstName LastName! JobTitle Email Phone Photo IsActive',
    isTenantUserRole: true,
  },
  {
    id: 5_010,
    internalName: 'MeterLog',
    name: 'Meter log',
    description: 'Readings of a meter',
    category: 'Work',
    vertical: 'Utilities',
    properties: 'MeterReading! MeterUnit StartsAt! Photo RecognizedText',
  },
  {
    id: 5_011,
    internalName: 'Airport',
    name: 'Airport',
    description: '',
    category: 'Location',
    vertical: 'Aviation',
    properties: 'IataCode!#1 IcaoCode Name! City Region CountryCode Latitude Longitude ElevationFeet',
  },
  {
    id: 5_012,
    internalName: 'Invoice',
    name: 'Invoice',
    description: '',
    category: 'Money',
    properties: 'Code!#1 Company Amount! CurrencyCode! DueDate PaymentStatus Document',
  },
]

/** "Code!#1 Photo[]" as attached properties. */
function readProperties(text: string): NonNullable<PortableEntity['properties']> {
  return text.split(' ').map((one) => {
    const [, property = '', list, required, key] = /^(\w+)(\[\])?(!)?(?:#([123]))?$/.exec(one) ?? []
    const keyPart = key === '1' ? 1 : key === '2' ? 2 : key === '3' ? 3 : null
    return {
      property,
      ...(required ? { isRequired: true } : {}),
      ...(list ? { isList: true } : {}),
      ...(keyPart === null ? {} : { keyPart }),
    }
  })
}

export const productEntities: readonly { readonly id: number; readonly definition: PortableEntity }[] = rows.map((row) => ({
  id: row.id,
  definition: {
    internalName: row.internalName,
    displays: [{ languageCode: 'en-US', name: row.name, ...(row.description === '' ? {} : { description: row.description }) }],
    category: row.category,
    ...(row.vertical === undefined ? {} : { vertical: row.vertical }),
    properties: readProperties(row.properties),
    ...(row.children === undefined ? {} : { children: row.children.split(' ').map((childEntity) => ({ childEntity })) }),
    ...(row.peers === undefined ? {} : { peers: row.peers.split(' ').map((peerEntity) => ({ peerEntity })) }),
    ...(row.isTenantUserRole ? { isTenantUserRole: true, identityEmailProperty: 'Email', identityPhoneProperty: 'Phone' } : {}),
  },
}))
