import { Readable } from 'node:stream'

import { beforeAll, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'

import { useWorld } from './support/world.ts'

const world = useWorld({ PUBLIC_URL: 'https://ops.example.test' })

const options = (...names: string[]) => names.map((internalName) => ({ internalName, displays: [{ name: `${internalName} state` }] }))
const email = 'ana@example.com'
let form = ''

beforeAll(async () => {
  await world.call('create_property', { internalName: 'Note', dataType: 'Text', maxValueOrLength: 40, displays: [{ name: 'Your note' }] })
  await world.call('create_property', { internalName: 'State', dataType: 'Choice', propertyOptions: options('open', 'closed') })
  await world.call('create_property', { internalName: 'Reason', dataType: 'Text' })
  await world.call('create_property', { internalName: 'Photo', dataType: 'Attachment', allowedFileTypes: ['png', 'txt'] })
  await world.call('create_property', { internalName: 'Secret', dataType: 'Text' })
  await world.call('create_property', { internalName: 'Part', dataType: 'Text' })
  await world.call('create_entity', {
    internalName: 'Gate',
    properties: ['Note', 'State', 'Reason', 'Photo', 'Secret'].map((property) => ({ property })),
  })
  await world.call('create_entity', { internalName: 'GatePart', properties: [{ property: 'Part' }, { property: 'Photo' }] })
  await world.call('attach_child_entity', { entity: 'Gate', childEntity: 'GatePart', isList: true })
  form = 'GateReport'
  await world.call('create_form', {
    entity: 'Gate',
    internalName: form,
    description: 'Report on a gate.',
    isShared: true,
    layoutJson: {
      sections: [
        {
          type: 'detail',
          name: 'gate',
          title: { en: 'The gate', de: 'Das Tor' },
          fields: [
            { property: 'Note', required: true },
            { property: 'State', control: 'radio' },
            { property: 'Reason', visibleWhen: [{ property: 'State', op: 'eq', value: 'closed' }] },
            { property: 'Photo', control: 'photo', capture: { maxBytes: 1000 } },
          ],
        },
        { type: 'list', name: 'parts', entity: 'GatePart', fields: [{ property: 'Part' }, { property: 'Photo' }] },
      ],
    },
  })
})

interface Made {
  readonly linkId: number
  readonly token: string
  readonly url: string
  readonly expiresAt: string
}

const make = (more: object = {}, key?: string): Promise<Made> =>
  world.call('create_signed_link', { form, to: { email }, ...more }, key === undefined ? {} : { key })
const nobody = { key: 'nobody' }
const open = (token: string, more: object = {}) => world.call('open_signed_link', { token, ...more }, nobody)
const submit = (token: string, answer: object, idempotencyKey?: string) =>
  world.call('submit_signed_link', { token, ...answer }, { ...nobody, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) })
const refused = async (work: Promise<unknown>): Promise<AppError> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw new Error(`Not refused: ${String(error)}`)
  return error
}
const stateOf = async ({ linkId }: Made) => {
  const links: { linkId: number; state: string }[] = await world.call('list_signed_links', { pageSize: 1000 })
  return links.find((link) => link.linkId === linkId)?.state
}
const lasting = (link: Made, seconds: number) =>
  world.sql`update platform.signed_link set expires_at = now() + make_interval(secs => ${seconds}) where link_id = ${link.linkId}`
const put = (token: string, assetKey: string, text: string) =>
  world.call(
    'put_signed_link_upload',
    { token, assetKey },
    { ...nobody, upload: { stream: Readable.from([Buffer.from(text)]), fileName: '', mimeType: undefined, isTruncated: () => false } },
  )

describe('a link to a form', () => {
  it('shows the form to whoever holds it, and nothing beside it', async () => {
    const link = await make()
    expect(link.url).toBe(`https://ops.example.test/l/${link.token}`)
    expect(Date.parse(link.expiresAt) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    const shown = await open(link.token)
    expect(shown).toMatchObject({ linkId: link.linkId, to: { displayName: email }, form: { title: 'Report on a gate', mode: 'create' } })
    const [gate, parts] = shown.form.sections
    expect(gate.title).toBe('The gate')
    expect(
      gate.fields.map((field: { property: string; name: string; isRequired: boolean }) => [field.property, field.name, field.isRequired]),
    ).toEqual([
      ['Note', 'Your note', true],
      ['State', 'State', false],
      ['Reason', 'Reason', false],
      ['Photo', 'Photo', false],
    ])
    expect(gate.fields[1].options).toEqual([
      { internalName: 'open', name: 'open state' },
      { internalName: 'closed', name: 'closed state' },
    ])
    expect(parts).toMatchObject({ type: 'list', name: 'parts', rows: [] })
    expect((await open(link.token, { languageCode: 'de' })).form.sections[0].title).toBe('Das Tor')
  })

  it('stores nothing that opens it', async () => {
    const link = await make()
    const rows = await world.sql`select to_jsonb(l) as row from platform.signed_link l where link_id = ${link.linkId}`
    const kept = await world.sql`select coalesce(jsonb_agg(to_jsonb(k)), '[]') as all from platform.idempotency_key k`
    expect(rows).toHaveLength(1)
    expect(JSON.stringify([rows, kept])).not.toContain(link.token.split('.')[2])
  })

  it('takes one answer, in the right of its maker and the name of its recipient', async () => {
    const link = await make()
    const answered = await submit(link.token, { values: { Note: 'It is open', State: 'open' } })
    const by = { address: email, linkId: link.linkId, madeBy: world.tenant.tenantUserId }
    expect(answered).toEqual({ linkId: link.linkId, state: 'used', submittedDate: expect.any(String), by })
    const [listed] = await world.call('list_signed_links', { states: ['used'], pageSize: 1 })
    expect(listed).toMatchObject({
      linkId: link.linkId,
      usedDate: answered.submittedDate,
      to: { address: email },
      resultEIRecordId: expect.any(Number),
    })
    const history = await world.call('get_instance_history', { entity: 'Gate', record: String(listed.resultEIRecordId) })
    expect(history).toMatchObject([
      { changedBy: { tenantUserId: null, displayName: email }, by, data: { Note: 'It is open', State: 'open' } },
    ])
    const audits = await world.sql<
      { facts: unknown }[]
    >`select facts from platform.audit_event where operation = 'submit_signed_link' and facts->>'linkId' = ${String(link.linkId)}`
    expect(audits.map(({ facts }) => facts)).toEqual([{ linkId: link.linkId, eiRecordId: listed.resultEIRecordId, by }])
    expect((await refused(submit(link.token, { values: { Note: 'Again' } }))).status).toBe(410)
    expect((await refused(open(link.token))).status).toBe(410)
  })

  it('signs with the recipient who is a user, not with the maker', async () => {
    const user = await world.call('create_user', { userName: `ben${Date.now()}`, displayName: 'Ben', email: 'ben@example.com', roles: [] })
    const link = await make({ to: { email: 'ben@example.com' } })
    const { by } = await submit(link.token, { values: { Note: 'Seen by Ben' } })
    expect(by).toEqual({ tenantUserId: user.tenantUserId, linkId: link.linkId, madeBy: world.tenant.tenantUserId })
    const [record] = await world.call('list_instances', {
      entity: 'Gate',
      filterRules: [{ property: 'Note', op: 'eq', value: 'Seen by Ben' }],
    })
    expect([record.createdBy, record.modifiedBy]).toEqual([user.tenantUserId, user.tenantUserId])
  })

  it('lets one of two answers at once win, and the other hear that it was used', async () => {
    const link = await make()
    const results = await Promise.allSettled([1, 2, 3].map((number) => submit(link.token, { values: { Note: `Race ${number}` } })))
    const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as AppError] : []))
    expect(lost.map(({ status }) => status)).toEqual([410, 410])
    const records = await world.call('list_instances', {
      entity: 'Gate',
      filterRules: [{ property: 'Note', op: 'startsWith', value: 'Race' }],
    })
    expect(records).toHaveLength(1)
  })

  it('answers an answer that is sent again as it did the first time', async () => {
    const link = await make()
    const first = await submit(link.token, { values: { Note: 'Twice' } }, 'the-same-answer')
    expect(await submit(link.token, { values: { Note: 'Twice' } }, 'the-same-answer')).toEqual(first)
    expect((await refused(submit(link.token, { values: { Note: 'Twice' } }, 'another-answer'))).status).toBe(410)
    expect(
      await world.call('list_instances', { entity: 'Gate', filterRules: [{ property: 'Note', op: 'eq', value: 'Twice' }] }),
    ).toHaveLength(1)
  })

  it('stays open where the answer was refused, and says what is wrong', async () => {
    const link = await make()
    const error = await refused(submit(link.token, { values: { State: 'nowhere' } }))
    expect([error.status, (error.issues ?? []).map(({ path }) => path).sort()]).toEqual([400, ['$.values.Note', '$.values.State']])
    expect(await stateOf(link)).toBe('open')
    await submit(link.token, { values: { Note: 'Now' } })
    expect(await stateOf(link)).toBe('used')
  })

  it('leaves out what conditions hide, which a form on a screen may still hold', async () => {
    const link = await make()
    await submit(link.token, { values: { Note: 'Hidden', State: 'open', Reason: 'typed before' } })
    const [record] = await world.call('list_instances', { entity: 'Gate', filterRules: [{ property: 'Note', op: 'eq', value: 'Hidden' }] })
    expect(record.data).toMatchObject({ State: 'open', Reason: null })
  })

  it('writes nothing beside its form', async () => {
    const link = await make()
    const error = await refused(submit(link.token, { values: { Note: 'Sly', Secret: 'x' } }))
    expect([error.status, error.issues?.[0]?.path]).toEqual([400, '$.values.Secret'])
    expect((await refused(submit(link.token, { values: { Note: 'Sly' }, action: 'approve' }))).status).toBe(400)
  })
})

describe('a link to a record', () => {
  it('shows what it holds and changes it, rows of its lists too', async () => {
    const { eiRecordId } = await world.call('save_instance', {
      entity: 'Gate',
      key1: 'G-1',
      data: { Note: 'Old', State: 'open', Secret: 'safe' },
    })
    const part = await world.call('save_instance', { entity: 'GatePart', parentEIRecordId: eiRecordId, data: { Part: 'Hinge' } })
    const link = await make({ eiRecordId })
    const { form: shown } = await open(link.token)
    expect(shown.mode).toBe('update')
    expect(shown.sections[0].fields[0]).toMatchObject({ property: 'Note', value: 'Old' })
    expect(shown.sections[1].rows).toMatchObject([{ eiRecordId: part.eiRecordId, values: { Part: 'Hinge' } }])
    expect(JSON.stringify(shown)).not.toContain('safe')
    const rows = [{ eiRecordId: part.eiRecordId, values: { Part: 'Lock' } }, { values: { Part: 'Bolt' } }]
    await submit(link.token, { values: { Note: 'New' }, sections: { parts: { rows } } })
    const record = await world.call('get_instance', { entity: 'Gate', record: String(eiRecordId) })
    expect(record.data).toMatchObject({ Note: 'New', State: 'open', Secret: 'safe' })
    const parts = await world.call('list_instances', {
      entity: 'GatePart',
      filterRules: [{ property: 'parentEIRecordId', op: 'eq', value: eiRecordId }],
    })
    expect(parts.map((one: { data: { Part: string } }) => one.data.Part).sort()).toEqual(['Bolt', 'Lock'])
  })

  it('is gone with its record', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Gate', key1: 'G-2', data: { Note: 'Old' } })
    const link = await make({ eiRecordId })
    await world.call('delete_instance', { entity: 'Gate', record: String(eiRecordId) })
    expect((await refused(open(link.token))).status).toBe(404)
    expect((await refused(submit(link.token, { values: { Note: 'Late' } }))).status).toBe(404)
  })
})

describe('files through a link', () => {
  const ask = async (link: Made, count: number): Promise<string[]> => {
    const uploads = Array.from({ length: count }, (_, at) => ({ property: 'Photo', fileName: `gate${at}.txt` }))
    return (await open(link.token, { uploads })).uploads.map(({ assetKey }: { assetKey: string }) => assetKey)
  }

  it('come by one-time URLs that hold with the link, and only its own may be sent', async () => {
    const link = await make()
    const { uploads } = await open(link.token, { uploads: [{ property: 'Photo', fileName: 'gate.txt', mimeType: 'text/plain' }] })
    const [{ assetKey, url }] = uploads
    expect(url).toBe(`https://ops.example.test/api/v1/links/${link.token}/uploads/${assetKey}`)
    await put(link.token, assetKey, 'a gate')
    expect((await refused(put(link.token, assetKey, 'another'))).status).toBe(409)
    const other = await make()
    expect((await refused(put(other.token, assetKey, 'x'))).status).toBe(404)
    expect((await refused(submit(other.token, { values: { Note: 'Theft', Photo: assetKey } }))).issues?.[0]?.path).toBe('$.values.Photo')
    await submit(link.token, { values: { Note: 'With a file', Photo: assetKey } })
    const [record] = await world.call('list_instances', {
      entity: 'Gate',
      filterRules: [{ property: 'Note', op: 'eq', value: 'With a file' }],
    })
    expect(record.data.Photo).toBe(assetKey)
  })

  it('are refused where the link is over, the property takes none, or they are too large or of another kind', async () => {
    const link = await make()
    const ask = (file: object) => refused(open(link.token, { uploads: [{ property: 'Photo', fileName: 'gate.txt', ...file }] }))
    expect((await ask({ property: 'Note' })).issues?.[0]?.path).toBe('$.uploads[0].property')
    expect((await ask({ sizeBytes: 5000 })).code).toBe('too_large')
    expect((await ask({ fileName: 'gate.exe' })).code).toBe('unsupported_type')
    const { uploads } = await open(link.token, { uploads: [{ property: 'Photo', fileName: 'gate.txt' }] })
    await world.call('revoke_signed_link', { linkId: link.linkId })
    expect((await refused(put(link.token, uploads[0].assetKey, 'late'))).status).toBe(410)
  })

  it('come twelve at once', async () => {
    const link = await make()
    const keys = await ask(link, 12)
    const kept = await Promise.all(keys.map((assetKey) => put(link.token, assetKey, `gate ${assetKey}`)))
    expect(kept).toHaveLength(12)
    expect(kept.map(({ assetKey }) => assetKey)).toEqual(keys)
  })

  it('give way to later ones past fifty, so that however many tries failed the answer can be sent', async () => {
    const link = await make()
    const [first = '', second = ''] = [...(await ask(link, 20)), ...(await ask(link, 20)), ...(await ask(link, 9))]
    await put(link.token, first, 'of the first try')
    const [last = ''] = await ask(link, 2)
    await put(link.token, last, 'of the last try')
    expect((await world.refusal('get_asset', { assetKey: first })).status).toBe(404)
    expect((await refused(submit(link.token, { values: { Note: 'Early', Photo: first } }))).issues?.[0]?.path).toBe('$.values.Photo')
    await put(link.token, second, 'still there')
    await ask(link, 1)
    expect((await refused(put(link.token, second, 'again'))).status).toBe(404)
    // Those that were never sent leave nothing behind either.
    for (let turn = 0; turn < 4; turn++) await ask(link, 12)
    const waiting = () =>
      world.sql`select asset_key from platform.asset where tenant_id = ${world.tenant.tenantId} and stored_at is null and upload_until < now()`
    await expect.poll(waiting).toEqual([])
    expect((await refused(submit(link.token, { values: { Note: 'Late', Photo: last } }))).issues?.[0]?.path).toBe('$.values.Photo')
    const [newest = ''] = await ask(link, 1)
    await put(link.token, newest, 'of the last try')
    await submit(link.token, { values: { Note: 'Fifty tries', Photo: newest } })
    expect(await world.call('get_asset', { assetKey: newest })).toMatchObject({ assetKey: newest })
    expect(await stateOf(link)).toBe('used')
  })

  it('that gave way while their bytes came, or while their answer was saved, are refused', async () => {
    const link = await make()
    const [sent = '', coming = ''] = await ask(link, 2)
    await put(link.token, sent, 'of the first try')
    /** Does the work while the row is held, and lets the uploads of the link give way before it goes on. */
    const meanwhile = async (held: string, work: () => Promise<unknown>): Promise<AppError> => {
      const tried = await world.sql.begin(async (sql) => {
        await sql.unsafe(`select from platform.${held} for update`)
        const outcome = refused(work())
        const waiting = () => world.sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`
        await expect.poll(waiting).toHaveLength(1)
        await sql`update platform.signed_link set uploads = '{}' where link_id = ${link.linkId}`
        return { outcome }
      })
      return tried.outcome
    }
    const late = await meanwhile(`asset where asset_key = '${coming}'`, () => put(link.token, coming, 'of the second try'))
    expect([late.status, late.message]).toEqual([404, 'No such upload. Ask for one with open_signed_link.'])
    expect((await world.refusal('get_asset', { assetKey: coming })).status).toBe(404)
    await world.sql`update platform.signed_link set uploads = ${[sent]}::uuid[] where link_id = ${link.linkId}`
    const early = await meanwhile(`signed_link where link_id = ${link.linkId}`, () =>
      submit(link.token, { values: { Note: 'Of the first try', Photo: sent } }),
    )
    expect([early.status, early.message]).toEqual([400, expect.stringContaining('took the place of a file of this answer')])
    expect(await stateOf(link)).toBe('open')
  })

  it('are no others however their property is named, in rows of lists too', async () => {
    const [link, other] = [await make(), await make()]
    const { uploads } = await open(other.token, { uploads: [{ property: 'Photo', fileName: 'gate.txt' }] })
    const [{ assetKey }] = uploads
    await put(other.token, assetKey, 'a gate')
    const namesIn = async (entity: string) => {
      const { properties } = await world.call('describe_entity', { entity })
      const { propertyId, entityPropertyId } = properties.find(
        (one: { propertyInternalName: string }) => one.propertyInternalName === 'Photo',
      )
      return ['Photo', 'photo', 'PHOTO', String(propertyId), String(entityPropertyId)]
    }
    const told = async (answer: object) => {
      const { status, message, issues } = await refused(submit(link.token, answer))
      return [status, message, issues?.map(({ path }) => path)]
    }
    for (const name of await namesIn('Gate')) {
      const found = await told({ values: { Note: 'Theft', [name]: assetKey } })
      expect(found).toEqual([400, 'The answer names files that are not its own.', [`$.values.${name}`]])
    }
    for (const name of await namesIn('GatePart'))
      for (const section of ['parts', 'PARTS']) {
        const rows = [{ values: { Part: 'Hinge' } }, { values: { Part: 'Lock', [name]: assetKey } }]
        const found = await told({ values: { Note: 'Theft' }, sections: { [section]: { rows } } })
        expect(found).toEqual([400, 'The answer names files that are not its own.', [`$.sections.${section}.rows[1].values.${name}`]])
      }
  })
})

describe('the end of a link', () => {
  it('comes by time, and nothing arrives after it', async () => {
    const link = await make({ expiresIn: 'PT5M' })
    await lasting(link, -1)
    expect((await refused(open(link.token))).message).toContain('has expired')
    expect((await refused(submit(link.token, { values: { Note: 'Late' } }))).status).toBe(410)
    expect(await stateOf(link)).toBe('expired')
  })

  it('comes by revocation, once, and not after it was used', async () => {
    const link = await make()
    expect(await world.call('revoke_signed_link', { linkId: link.linkId })).toMatchObject({ linkId: link.linkId, state: 'revoked' })
    expect((await refused(submit(link.token, { values: { Note: 'Late' } }))).message).toContain('was revoked')
    expect((await world.refusal('revoke_signed_link', { linkId: link.linkId })).code).toBe('not_found')
    const used = await make()
    await submit(used.token, { values: { Note: 'Used' } })
    expect((await world.refusal('revoke_signed_link', { linkId: used.linkId })).code).toBe('conflict')
  })

  it('comes with the right of its maker: 403, whether a role, a key or the user went', async () => {
    const key = await world.tenant.keyWith(['DataEdit', 'FileEdit', 'DataView'])
    const link = await make({}, key)
    const [owner] = await world.sql<
      { tenantUserId: number }[]
    >`select made_by as tenant_user_id from platform.signed_link where link_id = ${link.linkId}`
    const asUser = (set: object) =>
      world.sql`update platform.tenant_user set ${world.sql(set)} where tenant_user_id = ${owner?.tenantUserId ?? 0}`
    await open(link.token)
    await world.sql`update platform.api_key set role_flag = 2 where tenant_user_id = ${owner?.tenantUserId ?? 0}`
    expect((await refused(submit(link.token, { values: { Note: 'No role' } }))).code).toBe('forbidden')
    await world.sql`update platform.api_key set role_flag = 63 where tenant_user_id = ${owner?.tenantUserId ?? 0}`
    await asUser({ is_locked: true })
    expect((await refused(submit(link.token, { values: { Note: 'Locked' } }))).code).toBe('forbidden')
    await asUser({ is_locked: false })
    await world.sql`update platform.api_key set revoked_at = now() where tenant_user_id = ${owner?.tenantUserId ?? 0}`
    expect((await refused(submit(link.token, { values: { Note: 'Revoked' } }))).code).toBe('forbidden')
    expect(await stateOf(link)).toBe('open')
  })

  it('is told by nothing to whoever guesses', async () => {
    const { token } = await make()
    const [tenantId = '', linkId = '', signature = ''] = token.split('.')
    const flipped = `${signature.slice(0, -2)}${signature.endsWith('AA') ? 'BB' : 'AA'}`
    const guesses = [
      `${tenantId}.${linkId}.${flipped}`,
      `${tenantId}.999999.${signature}`,
      `${Number(tenantId) + 1}.${linkId}.${signature}`,
      'x',
      `${tenantId}.${linkId}.`,
    ]
    for (const guess of guesses) {
      const error = await refused(open(guess))
      expect([guess, error.status, error.message]).toEqual([
        guess,
        404,
        'No such link. Open it from the message that brought it, as a whole.',
      ])
    }
  })
})

describe('making a link', () => {
  it('is for who could do by themselves what it is for', async () => {
    const withoutFiles = await world.tenant.keyWith(['DataEdit', 'DataView'])
    expect((await world.refusal('create_signed_link', { form, to: { email } }, withoutFiles)).code).toBe('forbidden')
    await world.call('create_form', {
      entity: 'Gate',
      internalName: 'Locked',
      isShared: true,
      layoutJson: { allowNew: false, sections: [{ type: 'detail', name: 'gate', fields: [{ property: 'Note' }] }] },
    })
    expect((await world.refusal('create_signed_link', { form: 'Locked', to: { email } })).code).toBe('forbidden')
  })

  it('refuses what is not there, and times that are none', async () => {
    const wrong = async (input: object) => {
      const { code, issues } = await world.refusal('create_signed_link', { form, to: { email }, ...input })
      return [code, issues?.[0]?.path]
    }
    expect(await wrong({ form: 'GateRaport' })).toEqual(['invalid_input', '$.form'])
    expect(await wrong({ eiRecordId: 999_999_999 })).toEqual(['invalid_input', '$.eiRecordId'])
    for (const expiresIn of ['P100D', 'PT1M', '7 days', 'P', 'PT', 'P1Y'])
      expect(await wrong({ expiresIn })).toEqual(['invalid_input', '$.expiresIn'])
    expect(await wrong({ to: { email: 'nobody' } })).toEqual(['invalid_input', '$.to.email'])
  })

  it('sends it, and shows its token to the recipient alone', async () => {
    const key = await world.tenant.keyWith(['DataView'])
    const [reader] = await world.sql<
      { tenantUserId: number }[]
    >`select max(tenant_user_id) as tenant_user_id from platform.tenant_user where tenant_id = ${world.tenant.tenantId}`
    const link = await make({ to: { tenantUserId: reader?.tenantUserId ?? 0 }, channel: 'inbox' })
    const { messages } = await world.call('list_inbox', {}, { key })
    expect(messages).toHaveLength(1)
    expect(messages[0].card).toMatchObject({ title: 'Report on a gate', link: { label: 'Open the form', url: link.url } })
    const seen = await world.call('get_conversation', { conversationId: messages[0].conversationId })
    expect(seen.messages).toHaveLength(1)
    expect(JSON.stringify(seen)).not.toContain(link.token)
    // Whoever copies what they see of it into a message of their own gets no more than that.
    await world.call('send_message', { to: { tenantUserId: world.tenant.tenantUserId }, text: seen.messages[0].card.link.url })
    expect(JSON.stringify(await world.call('list_inbox', {}))).not.toContain(link.token)
  })

  it('is found by form, record, recipient and state', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Gate', key1: 'G-3', data: { Note: 'Listed' } })
    const link = await make({ eiRecordId, to: { phone: '+34600123456' } })
    const ids = async (by: object) => (await world.call('list_signed_links', by)).map((one: Made) => one.linkId)
    expect(await ids({ eiRecordId })).toEqual([link.linkId])
    expect(await ids({ to: { phone: '+34 600 123 456' } })).toEqual([link.linkId])
    expect(await ids({ form, states: ['open'], pageSize: 1 })).toEqual([link.linkId])
    expect(await ids({ eiRecordId, states: ['used'] })).toEqual([])
    const other = await world.newTenant()
    expect(await world.call('list_signed_links', {}, { key: other.key })).toEqual([])
    expect((await world.refusal('revoke_signed_link', { linkId: link.linkId }, other.key)).code).toBe('not_found')
  })
})
