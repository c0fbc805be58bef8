import { fileForm, type Step } from './step.ts'

const bytes = { 'Content-Type': 'application/octet-stream' }

/** A page that says GATE 4. Its offsets are left out, which readers find by themselves. */
const pdf = [
  '%PDF-1.4',
  '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
  '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj',
  '4 0 obj<</Length 48>>stream',
  'BT /F1 36 Tf 40 60 Td (GATE 4) Tj ET            ',
  'endstream endobj',
  '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
  'trailer<</Root 1 0 R>>',
  '%%EOF',
  '',
].join('\n')

/** A grey picture as a TIFF, whose bytes can all stand in a text: shades below 128, no compression, its directory behind the pixels. */
const picture = [
  'const size = 64',
  'const little = (value, bytes) => Array.from({ length: bytes }, (_, at) => String.fromCharCode((value >> (8 * at)) & 255)).join("")',
  'const pixels = Array.from({ length: size * size }, (_, at) => String.fromCharCode(32 + (at % size) + (at / size >> 1))).join("")',
  'const fields = [[256, size], [257, size], [258, 8], [259, 1], [262, 1], [273, 8], [277, 1], [278, size], [279, size * size]]',
  'const directory = fields.map(([tag, value]) => little(tag, 2) + little(4, 2) + little(1, 4) + little(value, 4)).join("")',
  'const picture = `II*\\u0000${little(8 + size * size, 4)}${pixels}${little(fields.length, 2)}${directory}${little(0, 4)}`',
  "pm.variables.set('picture', picture)",
]

const keepsUpload = (name: string) => ({ [name]: 'answer.assetKey', uploadToken: "answer.url.split('/').pop()" })

export const steps: readonly Step[] = [
  {
    operation: 'upload_asset',
    ...fileForm('note-{{run}}.txt', 'Gate 4 is open.', { title: 'A note' }),
    keeps: { assetKey: 'answer.assetKey' },
  },
  { operation: 'get_asset', input: { assetKey: '{{assetKey}}' } },
  { operation: 'list_assets', input: { search: 'note-{{run}}' } },
  { operation: 'sign_asset_url', input: { assetKey: '{{assetKey}}' } },
  { operation: 'download_asset', input: { assetKey: '{{assetKey}}' } },
  { operation: 'delete_asset', input: { assetKey: '{{assetKey}}' } },
  { operation: 'create_upload_url', input: { fileName: 'sign.pdf', mimeType: 'application/pdf' }, keeps: keepsUpload('pdfAssetKey') },
  { operation: 'put_upload', title: 'a PDF', input: { uploadToken: '{{uploadToken}}' }, headers: bytes, body: pdf },
  {
    operation: 'create_upload_url',
    title: 'for a picture',
    input: { fileName: 'gate.tif', mimeType: 'image/tiff' },
    keeps: keepsUpload('pictureAssetKey'),
  },
  {
    operation: 'put_upload',
    title: 'a picture',
    input: { uploadToken: '{{uploadToken}}' },
    headers: bytes,
    before: picture,
    body: '{{picture}}',
  },
]
