/** A catalog with something of everything, for the specs of catalogs. */
export const workCatalog = {
  categories: [{ internalName: 'Fieldwork' }],
  entities: [
    {
      internalName: 'Site',
      displays: [{ languageCode: 'en-US', name: 'Site', description: 'A place' }],
      category: 'Location',
      vertical: 'FieldService',
      properties: [
        { property: 'Code', isRequired: true, keyPart: 1 },
        { property: 'Kind', optionFilter: 'Halls' },
      ],
      children: [{ childEntity: 'Visit', isRequired: true }],
      peers: [{ peerEntity: 'Visit', isList: false }],
    },
    { internalName: 'Visit', category: 'Fieldwork', properties: [{ property: 'Photos', isList: true }] },
  ],
  properties: [
    {
      internalName: 'Code',
      dataType: 'Text',
      displays: [
        { languageCode: 'en-US', name: 'Code', regEx: '^[A-Z]', isTranslationLocked: true },
        { languageCode: 'es-ES', name: 'Código' },
      ],
      regEx: '^[A-Z0-9]+$',
      minValueOrLength: 0,
      maxValueOrLength: 10,
      isSensitive: true,
    },
    {
      internalName: 'Kind',
      dataType: 'Hierarchy',
      category: 'Fieldwork',
      propertyOptions: [
        { internalName: 'Indoor', displays: [{ languageCode: 'en-US', name: 'Indoors' }] },
        { internalName: 'Hall', parent: 'Indoor' },
      ],
      optionFilters: [{ internalName: 'Halls', options: ['Hall'] }],
    },
    { internalName: 'Photos', dataType: 'Attachment', allowedFileTypes: ['jpg'] },
  ],
}

/** A document without regard to the order of definitions. */
export const sorted = (document: Record<string, { internalName: string }[]>) =>
  Object.fromEntries(
    Object.entries(document).map(([field, list]) => [field, list.toSorted((a, b) => (a.internalName < b.internalName ? -1 : 1))]),
  )
