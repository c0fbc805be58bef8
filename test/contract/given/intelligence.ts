/** Working calls of the recognition operations. */
import type { RecognizeAssetRequest } from '#platform/shapes/recognition.ts'
import type { World } from '#test/support/world.ts'
import { sealFindings } from '#tools/intelligence/service.ts'

import type { Given, Stage } from '../arrange.ts'

async function upload({ call }: Stage): Promise<string> {
  const { assetKey } = await call('upload_asset', { fileName: 'note.txt', contentBase64: Buffer.from('GATE 4').toString('base64') })
  return assetKey
}

/** An entity whose photographs are to be read, and its attachment property. */
async function inspections({ call, unique }: Stage): Promise<{ entity: string; photo: string; text: string; entityPropertyId: number }> {
  const [entity, photo, text] = [unique('Inspection'), unique('Photo'), unique('SignText')]
  await call('create_property', { internalName: photo, dataType: 'Attachment' })
  await call('create_property', { internalName: text, dataType: 'Text' })
  await call('create_entity', { internalName: entity, properties: [{ property: photo }, { property: text }] })
  const { properties } = await call('describe_entity', { entity })
  const found = properties.find((property: { propertyInternalName: string }) => property.propertyInternalName === photo)
  return { entity, photo, text, entityPropertyId: found.entityPropertyId }
}

async function analysed(stage: Stage): Promise<string> {
  const { entity, photo, text, entityPropertyId } = await inspections(stage)
  await stage.call('set_attachment_analysis', { entity, entityPropertyId, ocr: true, targets: { text } })
  const assetKey = await upload(stage)
  await stage.call('save_instance', { entity, key1: 'I-1', data: { [photo]: assetKey } })
  return assetKey
}

/** What Temporal and the engine bring is tested where they run (workflows/attachment-recognition.spec.ts); here a call's own shape is looked at. */
function answerAtOnce({ platform }: World): void {
  const { services } = platform
  Object.assign(services.temporal, {
    async execute({ args }: { args: readonly [RecognizeAssetRequest] }) {
      const [{ tenantId, assetKey, ocr }] = args
      const found = ocr
        ? {
            ocr: { text: 'GATE 4', words: [{ text: 'GATE', confidence: 96, box: [0, 0, 9, 9] }], language: 'eng', confidence: 96 },
          }
        : { labels: [{ label: 'crane', score: 0.5 }], model: 'resnet50-imagenet' }
      return sealFindings(services, tenantId, assetKey, { state: 'done', ...found, durationMs: 5 })
    },
  })
}

export const given: Given = {
  list_models: async () => ({ input: {} }),
  async recognize_text(stage) {
    answerAtOnce(stage.world)
    return { input: { assetKey: await upload(stage), languages: ['eng'] } }
  },
  async classify_image(stage) {
    answerAtOnce(stage.world)
    return { input: { assetKey: await upload(stage), model: 'resnet50-imagenet', minScore: 0.2 } }
  },
  async set_attachment_analysis(stage) {
    const { entity, text, entityPropertyId } = await inspections(stage)
    return { input: { entity, entityPropertyId, ocr: true, targets: { text } } }
  },
  get_attachment_analysis: async (stage) => ({ input: { assetKey: await analysed(stage) } }),
  rerun_attachment_analysis: async (stage) => ({ input: { assetKey: await analysed(stage) } }),
}
