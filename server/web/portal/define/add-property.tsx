/** One more property of a kind: a new one, or one that the tenant has already. */
import { useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { ActForm, Card } from '../parts/basics.tsx'
import { words } from '../texts/define/index.ts'
import { type DraftProperty, newPropertyOf } from './define.rules.ts'
import type { Definition } from './definition.ts'
import { newProperty, PropertyFields } from './property-parts.tsx'
import { setRecognition } from './recognition.tsx'

export function AddProperty({
  definition: { detail, properties },
  languageCode,
  onChanged,
}: {
  definition: Definition
  languageCode: string
  onChanged: () => Promise<unknown>
}) {
  const act = useAct()
  const [draft, setDraft] = useState<DraftProperty>()
  const attached = detail.properties.map(({ propertyInternalName }) => propertyInternalName)
  const known = properties.filter(({ internalName }) => !attached.includes(internalName))
  const params = { path: { entity: detail.entity.internalName } }
  async function add(property: DraftProperty) {
    let { existing } = property
    if (existing === '') {
      const body = newPropertyOf(property, languageCode)
      existing = (await dataOf(api.POST('/api/v1/properties', { body, headers: once() }))).internalName
      // Made: where it is refused here, the next try takes the one that is there.
      setDraft({ ...property, existing })
    }
    const { isRequired, isList } = property
    const body = { property: existing, isRequired, isList }
    await dataOf(api.POST('/api/v1/entities/{entity}/properties', { params, body, headers: once() }))
    if (property.isRecognised && property.type === 'Attachment') await setRecognition(detail.entity.internalName, existing, true)
    setDraft(undefined)
    await onChanged()
  }
  if (!draft)
    return (
      <p class="acts">
        <button type="button" onClick={() => setDraft(newProperty(1))}>
          {words.addProperty}
        </button>
      </p>
    )
  const isNamed = draft.existing === '' || known.some(({ internalName }) => internalName === draft.existing)
  return (
    <Card title={words.addProperty}>
      <ActForm act={act} label={words.addProperty} onSend={() => add(draft)} cancel={() => setDraft(undefined)}>
        <PropertyFields
          property={draft}
          known={isNamed ? known : [...known, { internalName: draft.existing, name: draft.label }]}
          onChange={setDraft}
        />
        {draft.isRequired && <p class="muted">{words.requireLater}</p>}
      </ActForm>
    </Card>
  )
}
