import { describe, expect, it } from 'vitest'

import { inSystemTransaction } from '#platform/system.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { soundForm } from '#tools/forms/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

interface Arranged {
  readonly entity: string
  readonly child: string
  readonly title: string
  readonly status: string
}

async function arranged(): Promise<Arranged> {
  const [entity, child, title, status] = [unique('Order'), unique('Visit'), unique('Title'), unique('Status')]
  await world.call('create_property', { internalName: title, dataType: 'Text' })
  await world.call('create_property', {
    internalName: status,
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open' }, { internalName: 'closed' }],
  })
  await world.call('create_entity', { internalName: child, properties: [{ property: title }] })
  await world.call('create_entity', { internalName: entity, properties: [{ property: title }, { property: status }] })
  await world.call('attach_child_entity', { entity, childEntity: child, isList: true })
  return { entity, child, title, status }
}

const layoutOf = ({ child, title, status }: Arranged) => ({
  lock: [{ property: status, op: 'eq', value: 'open' }],
  sections: [
    {
      type: 'detail',
      name: 'main',
      fields: [
        { property: title, help: `See [[$user.email]]` },
        { property: status, optionsFilter: ['open'] },
      ],
    },
    {
      type: 'list',
      name: 'visits',
      entity: child,
      columns: [title],
      fields: [{ property: title, visibleWhen: [{ property: title, op: 'isNotEmpty' }] }],
    },
  ],
})

async function kept(of: Arranged, more: Record<string, unknown> = {}, key?: string): Promise<string> {
  const internalName = unique('Form')
  await world.call('create_form', { entity: of.entity, internalName, layoutJson: layoutOf(of), ...more }, key === undefined ? {} : { key })
  return internalName
}

const layout = async (form: string | number, more = {}) => JSON.parse((await world.call('get_form', { form, ...more })).layoutJson)

/** The form as operations on records get it. */
function sound(form: string) {
  return inSystemTransaction(world.platform.services, world.tenant.tenantId, async (context) =>
    soundForm(context, await cachedCatalog(context), form),
  )
}

describe('keeping a form', () => {
  it('answers it as the lists show it, from text and from an object alike, and gives its layout back', async () => {
    const of = await arranged()
    const [first, second] = [unique('Form'), unique('Form')]
    const asObject = await world.call('create_form', {
      entity: of.entity,
      internalName: first,
      layoutJson: layoutOf(of),
      isShared: true,
      description: 'A',
    })
    const asText = await world.call('create_form', {
      entity: of.entity,
      layoutJson: JSON.stringify({ internalName: second, allowNew: false, ...layoutOf(of) }),
    })
    expect(asObject).toEqual({
      id: expect.any(Number),
      internalName: first,
      description: 'A',
      entity: of.entity,
      entityId: expect.any(Number),
      allowNew: true,
      allowEdit: true,
      allowDelete: true,
      canCreate: true,
      isShared: true,
      isSystem: false,
      isApiVisible: true,
      binding: { type: 'entity', id: asObject.entityId, name: of.entity, entities: [of.entity, of.child] },
      layoutVersion: 1,
      createdDate: expect.any(String),
      modifiedDate: expect.any(String),
      ownerName: 'admin',
      validation: null,
    })
    expect(Object.keys(asObject)[0]).toBe('id')
    expect(asText).toMatchObject({ internalName: second, isShared: false, allowNew: false, canCreate: false })
    expect(await world.call('list_entity_forms', { entity: of.entity })).toEqual([asObject, asText])
    const all = await world.call('list_forms')
    expect(all).toEqual(expect.arrayContaining([asObject, asText]))
    const got = await world.call('get_form', { form: asObject.id })
    expect(got).toEqual({ ...asObject, layoutJson: expect.any(String) })
    expect(JSON.parse(got.layoutJson)).toEqual({
      layoutVersion: 1,
      internalName: first,
      entity: of.entity,
      binding: { type: 'entity', name: of.entity },
      ...layoutOf(of),
    })
  })

  it('refuses what validate_form finds, a name that is taken, missing, a word of the paths, or two names', async () => {
    const of = await arranged()
    const layoutJson = { ...layoutOf(of), sections: [{ type: 'detail', name: 'main', fields: [{ property: `${of.title}x` }] }] }
    const error = await refusal('create_form', { entity: of.entity, internalName: unique('Form'), layoutJson })
    expect([error.status, error.code]).toEqual([400, 'unknown_property'])
    const { issues } = await world.call('validate_form', { entity: of.entity, layoutJson })
    expect(issues).toEqual(error.issues)
    const name = await kept(of)
    const taken = await refusal('create_form', { entity: of.entity, internalName: name.toUpperCase(), layoutJson: layoutOf(of) })
    expect([taken.status, taken.code]).toEqual([409, 'already_exists'])
    const problems = [
      {},
      { internalName: 'list' },
      { layoutJson: { ...layoutOf(of), internalName: 'validate' } },
      { internalName: unique('A'), layoutJson: { ...layoutOf(of), internalName: unique('B') } },
    ]
    const paths = await Promise.all(
      problems.map(async (more) => {
        const refused = await refusal('create_form', { entity: of.entity, layoutJson: layoutOf(of), ...more })
        return [refused.status, refused.issues?.[0]?.path]
      }),
    )
    expect(paths).toEqual([
      [400, '$.internalName'],
      [400, '$.internalName'],
      [400, '$.layoutJson.internalName'],
      [400, '$.layoutJson.internalName'],
    ])
    const secret = unique('Secret')
    await world.call('create_property', { internalName: secret, dataType: 'Text', isSensitive: true })
    await world.call('attach_property', { entity: of.entity, property: secret })
    const fields = [{ property: of.title, default: `[[${of.entity}.${secret}]]` }]
    const leaking = await refusal('create_form', {
      entity: of.entity,
      internalName: unique('Form'),
      layoutJson: { sections: [{ type: 'detail', name: 'main', fields }] },
    })
    expect([leaking.status, leaking.code]).toEqual([422, 'unprocessable'])
  })

  it('binds it to a view, whose deletion then names it, and says so when the view is gone all the same', async () => {
    const of = await arranged()
    const view = unique('View')
    const { entityInstanceViewId } = await world.call('save_view', {
      entity: of.entity,
      internalName: view,
      viewJson: { filters: { propertyFilters: [{ property: of.status, op: 'eq', value: 'open' }] } },
    })
    const form = await kept(of, { layoutJson: { ...layoutOf(of), binding: { type: 'view', id: entityInstanceViewId } } })
    await world.call('update_view', { entity: of.entity, view, internalName: `${view}s` })
    const shown = await world.call('get_form', { form })
    expect(shown.binding).toEqual({ type: 'view', id: entityInstanceViewId, name: `${view}s`, entities: [of.entity, of.child] })
    const used = await refusal('delete_view', { entity: of.entity, view: `${view}s` })
    expect([used.status, used.message]).toEqual([409, expect.stringContaining(`the form ${form}`)])
    await world.call('delete_view', { entity: of.entity, view: `${view}s`, force: true })
    // Another view of that name is another view.
    await world.call('save_view', { entity: of.entity, internalName: `${view}s`, viewJson: {} })
    const { binding, validation } = await world.call('get_form', { form })
    expect(binding).toMatchObject({ type: 'view', id: null })
    expect(validation).toMatchObject({ ok: false, issues: [{ path: '$.layoutJson.binding.name', severity: 'error' }] })
    const foreign = await arranged()
    await world.call('save_view', { entity: foreign.entity, internalName: `${view}x`, viewJson: {} })
    const error = await refusal('create_form', {
      entity: of.entity,
      internalName: unique('Form'),
      layoutJson: { ...layoutOf(of), binding: { type: 'view', name: `${view}x` } },
    })
    expect([error.status, error.issues?.[0]?.path]).toEqual([400, '$.layoutJson.binding.name'])
  })

  it('is for builders; everybody with DataView sees what is shared', async () => {
    const of = await arranged()
    const [shared, own] = [await kept(of, { isShared: true }), await kept(of)]
    const reader = await world.tenant.keyWith(['DataView'])
    const seen = await world.call('list_entity_forms', { entity: of.entity }, { key: reader })
    expect(seen.map((one: { internalName: string; canCreate: boolean }) => [one.internalName, one.canCreate])).toEqual([[shared, false]])
    expect((await refusal('get_form', { form: own }, reader)).status).toBe(404)
    expect((await refusal('update_form', { form: shared, isShared: false }, reader)).status).toBe(403)
    await world.call('update_form', { form: shared, isApiVisible: false })
    expect(await world.call('list_entity_forms', { entity: of.entity }, { key: reader })).toEqual([])
    expect((await refusal('get_form', { form: shared })).status).toBe(404)
    expect((await world.call('update_form', { form: shared, isApiVisible: true })).isApiVisible).toBe(true)
    const editor = await world.tenant.keyWith(['DataView', 'DataEdit'])
    const rights = async () => (await world.call('list_entity_forms', { entity: of.entity }, { key: editor }))[0].canCreate
    expect(await rights()).toBe(true)
    await world.call('set_entity_access', { entity: of.entity, rules: [{ role: 'DataEdit', read: true, edit: true }] })
    expect(await rights()).toBe(false)
  })
})

describe('changing a form', () => {
  it('makes a new version of the layout, and only where the layout changes', async () => {
    const of = await arranged()
    const form = await kept(of)
    const { sections, lock } = layoutOf(of)
    const same = await world.call('update_form', { form, layoutJson: { sections, lock: [...lock] }, description: 'B' })
    const swapped = await world.call('update_form', { form, layoutJson: { sections: sections.toReversed(), lock } })
    const renamed = await world.call('update_form', { form, internalName: `${form}x` })
    const byLayout = await world.call('update_form', {
      form: renamed.id,
      layoutJson: { internalName: form, sections: sections.toReversed(), lock },
    })
    expect([same.layoutVersion, swapped.layoutVersion, renamed.layoutVersion]).toEqual([1, 2, 2])
    expect(byLayout).toMatchObject({ internalName: form, layoutVersion: 2, description: 'B' })
    expect((await layout(form)).sections.map((one: { name: string }) => one.name)).toEqual(['visits', 'main'])
    expect((await layout(form, { layoutVersion: 1 })).sections.map((one: { name: string }) => one.name)).toEqual(['main', 'visits'])
    expect((await refusal('get_form', { form, layoutVersion: 9 })).status).toBe(404)
  })

  it('is 422 stale_layout for whoever expects another version, of two at once for one', async () => {
    const of = await arranged()
    const form = await kept(of)
    const change = (pages: string) =>
      world
        .call('update_form', { form, expectedLayoutVersion: 1, layoutJson: { ...layoutOf(of), pages } })
        .then((done) => done.layoutVersion)
        .catch((error: { status: number; code: string }) => [error.status, error.code])
    const outcomes = await Promise.all([change('section'), change('scroll')])
    expect(outcomes).toHaveLength(2)
    expect(outcomes).toEqual(expect.arrayContaining([2, [422, 'stale_layout']]))
    const stale = await refusal('restore_form_version', { form, version: 1, expectedLayoutVersion: 1 })
    expect([stale.status, stale.code]).toEqual([422, 'stale_layout'])
  })

  it('tells its versions, and restores an earlier one as the newest', async () => {
    const of = await arranged()
    const form = await kept(of)
    await world.call('update_form', { form, layoutJson: { ...layoutOf(of), pages: 'section' } })
    const versions = await world.call('list_form_versions', { form })
    expect(versions).toEqual(
      [2, 1].map((layoutVersion) => ({
        layoutVersion,
        createdDate: expect.any(String),
        createdBy: { tenantUserId: world.tenant.tenantUserId, displayName: 'admin' },
        sizeBytes: expect.any(Number),
        isCurrent: layoutVersion === 2,
      })),
    )
    const restored = await world.call('restore_form_version', { form, version: 1 })
    expect(restored.layoutVersion).toBe(3)
    expect((await layout(form)).pages).toBeUndefined()
    expect(await world.call('list_form_versions', { form })).toHaveLength(3)
    expect((await refusal('restore_form_version', { form, version: 9 })).status).toBe(404)
  })

  it('keeps the fifty newest versions', async () => {
    const of = await arranged()
    const form = await kept(of)
    for (let n = 0; n < 52; n++)
      await world.call('update_form', { form, layoutJson: { ...layoutOf(of), pages: n % 2 ? 'scroll' : 'section' } })
    const versions = await world.call('list_form_versions', { form })
    expect(versions.map((one: { layoutVersion: number }) => one.layoutVersion)).toEqual(Array.from({ length: 50 }, (_, n) => 53 - n))
  })

  it('copies it as the caller’s own, and deletes it with its versions', async () => {
    const of = await arranged()
    const form = await kept(of, { isShared: true })
    const copy = await world.call('clone_form', { form, internalName: `${form}Copy` })
    expect(copy).toMatchObject({ internalName: `${form}Copy`, isShared: false, layoutVersion: 1 })
    expect({ ...(await layout(copy.id)), internalName: form }).toEqual(await layout(form))
    expect(await world.call('delete_form', { form: copy.id })).toEqual({ id: copy.id, deleted: true })
    expect((await refusal('get_form', { form: copy.id })).status).toBe(404)
    const left = await inSystemTransaction(
      world.platform.services,
      world.tenant.tenantId,
      ({ tx }) => tx`select from platform.form_layout where form_id = ${copy.id}`,
    )
    expect(left).toHaveLength(0)
    await world.call('detach_child_entity', { entity: of.entity, childEntity: of.child, force: true })
    await world.call('delete_entity', { entity: of.entity, force: true })
    expect((await refusal('get_form', { form })).status).toBe(404)
  })
})

describe('when what a form names changes', () => {
  it('goes on under the names of today, in the layouts of before too', async () => {
    const of = await arranged()
    const { sections } = layoutOf(of)
    const withTokens = {
      ...sections[0],
      fields: [
        { property: of.title, help: `Was [[${of.entity}.${of.title}|upper]] and [[${of.entity}.${of.status}]]` },
        { property: of.status, default: { $expr: ['upper', `[[${of.entity}.${of.title}]]`] } },
      ],
    }
    const inRows = { ...sections[1], fields: [{ property: of.title, label: { en: `[[$row.${of.title}]]` } }] }
    const form = await kept(of, { layoutJson: { ...layoutOf(of), sections: [withTokens, inRows] } })
    await world.call('update_form', { form, layoutJson: layoutOf(of) })
    await world.call('update_property', { property: of.title, internalName: `${of.title}Renamed` })
    await world.call('update_entity', { entity: of.child, internalName: `${of.child}Renamed` })
    await world.call('update_entity', { entity: of.entity, internalName: `Re${of.entity}` })
    const renamed = { ...of, title: `${of.title}Renamed`, child: `${of.child}Renamed`, entity: `Re${of.entity}` }
    const { sections: now, entity } = await layout(form)
    expect([entity, now]).toEqual([renamed.entity, layoutOf(renamed).sections])
    const restored = await world.call('restore_form_version', { form, version: 1 })
    expect(restored.validation).toBeNull()
    const text = JSON.stringify(await layout(form))
    expect(text).toContain(`Was [[${renamed.entity}.${renamed.title}|upper]] and [[${renamed.entity}.${of.status}]]`)
    expect(text).toContain(`["upper","[[${renamed.entity}.${renamed.title}]]"]`)
    expect(text).toContain(`{"en":"[[$row.${renamed.title}]]"}`)
    // Once more, after the restored text was kept.
    await world.call('update_property', { property: renamed.title, internalName: of.title })
    expect(JSON.stringify(await layout(form))).toContain(
      `Was [[${renamed.entity}.${of.title}|upper]] and [[${renamed.entity}.${of.status}]]`,
    )
  })

  it('is named by the refusal to take it away; forced, the form says what is gone and still lists', async () => {
    const of = await arranged()
    const form = await kept(of)
    const { sections } = layoutOf(of)
    await world.call('update_form', { form, layoutJson: { sections: [{ ...sections[0], fields: [{ property: of.status }] }] } })
    await world.call('restore_form_version', { form, version: 1 })
    expect((await sound(form)).layout.sections.map((one) => one.name)).toEqual(['main', 'visits'])
    const refused = await refusal('detach_child_entity', { entity: of.entity, childEntity: of.child })
    expect([refused.status, refused.message]).toEqual([409, expect.stringContaining(`the form ${form}`)])
    const [{ optionId }] = await world.call('list_property_options', { property: of.status })
    expect((await refusal('delete_property_option', { property: of.status, optionId })).message).toContain(`the form ${form}`)
    await world.call('detach_child_entity', { entity: of.entity, childEntity: of.child, force: true })
    const [listed] = await world.call('list_entity_forms', { entity: of.entity })
    expect(listed).toMatchObject({ internalName: form, validation: { ok: false, valid: false } })
    expect(listed.validation.issues.map((one: { path: string }) => one.path)).toContain('$.layoutJson.sections[1].entity')
    const broken = await sound(form).catch((error: unknown) => error)
    expect(broken).toMatchObject({ code: 'conflict', message: expect.stringContaining('cannot be used') })
    const copy = await world.call('clone_form', { form, internalName: unique('Copy') })
    expect(copy.validation.ok).toBe(false)
    await world.call('update_form', { form, layoutJson: { sections: [{ ...sections[0], fields: [{ property: of.status }] }] } })
    const back = await refusal('restore_form_version', { form, version: 1 })
    expect([back.status, back.code]).toEqual([409, 'conflict'])
  })
})
