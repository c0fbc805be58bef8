/** Whether files of a property are recognised as they are saved. */
import { useAct } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { Confirm } from '../parts/basics.tsx'
import { words } from '../texts/define/index.ts'
import { type DraftProperty, internalNameOf } from './define.rules.ts'
import { namesOf, type Part } from './definition.ts'

export function setRecognition(entity: string, entityPropertyId: string, isOn: boolean) {
  const params = { path: { entity, entityPropertyId } }
  const body = { ocr: isOn, classify: isOn }
  return dataOf(api.PUT('/api/v1/entities/{entity}/properties/{entityPropertyId}/analysis', { params, body }))
}

/** Of new properties, those that are to be recognised. */
export async function recogniseNew(entity: string, properties: readonly DraftProperty[]): Promise<void> {
  const wished = properties.filter(({ existing, type, isRecognised }) => existing === '' && type === 'Attachment' && isRecognised)
  for (const { label } of wished) await setRecognition(entity, internalNameOf(label), true)
}

export function RecognitionDialog({ entity, part, onClose }: { entity: string; part: Part; onClose: (isDone: boolean) => void }) {
  const act = useAct()
  const { label } = namesOf(part)
  const isOn = part.analysis !== undefined
  return (
    <Confirm
      title={isOn ? words.recogniseNoMoreTitle(label) : words.recogniseTitle(label)}
      text={isOn ? words.recogniseNoMoreHint : words.recogniseHint}
      label={isOn ? words.recogniseNoMore : words.recognise}
      act={act}
      onClose={() => onClose(false)}
      onDo={async () => {
        await setRecognition(entity, String(part.entityPropertyId), !isOn)
        onClose(true)
      }}
    />
  )
}
