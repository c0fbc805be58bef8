import { useEffect, useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { type Factor, knowsPasskeys, listFactors, makePasskey } from '../factors.ts'
import { ActForm, Card, Confirm, Dialog, Line, Moment, ShownOnce } from '../parts/basics.tsx'
import { Shown } from '../parts/shown.tsx'
import { TroubleNote } from '../parts/trouble.tsx'
import { texts } from '../texts/index.ts'
import { CodeFactorDialog } from './code-factor-dialog.tsx'

const words = texts.factors

const enrol = () => dataOf(api.POST('/api/v1/auth/totp/enroll', { body: {}, headers: once() }))

/** The browser makes a passkey, on this device or a phone beside it; answers the recovery codes that come with a first factor. */
async function addPasskey(): Promise<readonly string[]> {
  const { factorId, options } = await dataOf(api.POST('/api/v1/auth/passkeys/enroll', { body: {}, headers: once() }))
  const made = await makePasskey(options)
  // The document describes what toJSON writes.
  const body = { factorId, credential: made.toJSON() as never }
  const { recoveryCodes } = await dataOf(api.POST('/api/v1/auth/passkeys/confirm', { body, headers: once() }))
  return recoveryCodes ?? []
}

type Enrolled = Awaited<ReturnType<typeof enrol>>

/** A QR code as one path. The secret is beside it in letters, so it says nothing to whoever does not see it. */
function QrCode({ text }: { text: string }) {
  const [code, setCode] = useState<{ path: string; size: number }>()
  useEffect(() => {
    void import('uqr').then(({ encode }) => {
      const { data, size } = encode(text, { ecc: 'M', border: 4 })
      const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
      setCode({ path, size })
    })
  }, [text])
  if (!code) return <div class="qr" />
  return (
    <svg class="qr" viewBox={`0 0 ${code.size} ${code.size}`} shape-rendering="crispEdges" aria-hidden="true">
      <path class="qr-ground" d={`M0 0h${code.size}v${code.size}H0z`} />
      <path class="qr-ink" d={code.path} />
    </svg>
  )
}

function AppDialog({ enrolled, onDone, onClose }: { enrolled: Enrolled; onDone: (codes: readonly string[]) => void; onClose: () => void }) {
  const act = useAct()
  const [code, setCode] = useState('')
  async function confirm() {
    const body = { factorId: enrolled.factorId, code: code.replaceAll(/\s/g, '') }
    const { recoveryCodes } = await dataOf(api.POST('/api/v1/auth/totp/confirm', { body, headers: once() }))
    onDone(recoveryCodes ?? [])
  }
  return (
    <Dialog title={words.addApp} onClose={onClose}>
      <p>{words.scan}</p>
      <QrCode text={enrolled.otpauthUri} />
      <p>
        {words.orType} <code class="letters">{enrolled.secret}</code>
      </p>
      <ActForm act={act} label={words.confirm} onSend={confirm} cancel={onClose}>
        <Line
          label={words.firstCode}
          value={code}
          onValue={setCode}
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={9}
          required
        />
      </ActForm>
    </Dialog>
  )
}

/** Ten codes, this once; whoever closes the dialog without keeping them makes new ones. */
function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n')
  return (
    <Dialog title={words.codes} onClose={onClose}>
      <ShownOnce label={words.codesLabel} hint={words.codesHint} secret={text} />
      <p class="acts">
        <a class="button" download="recovery-codes.txt" href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}>
          {words.download}
        </a>
        <button type="button" class="main" onClick={onClose}>
          {words.kept}
        </button>
      </p>
    </Dialog>
  )
}

function RenameDialog({ factor, onDone, onClose }: { factor: Factor; onDone: () => void; onClose: () => void }) {
  const act = useAct()
  const [name, setName] = useState(factor.name)
  async function rename() {
    await dataOf(api.PUT('/api/v1/auth/factors/{factorId}', { params: { path: { factorId: factor.factorId } }, body: { name } }))
    onDone()
  }
  return (
    <Dialog title={texts.rename} onClose={onClose}>
      <ActForm act={act} label={texts.save} onSend={rename} cancel={onClose}>
        <Line label={words.name} value={name} onValue={setName} maxLength={60} required />
      </ActForm>
    </Dialog>
  )
}

type Open =
  | { readonly kind: 'byCode' }
  | { readonly kind: 'app'; readonly enrolled: Enrolled }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'rename' | 'delete'; readonly factor: Factor }

export function FactorsCard() {
  const { loaded, reload } = useAnswer(listFactors)
  const act = useAct()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const begin = () => act.run(async () => setOpen({ kind: 'app', enrolled: await enrol() }))
  const beginPasskey = () =>
    act.run(async () => {
      const codes = await addPasskey()
      if (codes.length > 0) setOpen({ kind: 'codes', codes })
      await reload()
    })
  const makeCodes = () =>
    act.run(async () => {
      const { codes } = await dataOf(api.POST('/api/v1/auth/recovery-codes', { headers: once() }))
      setOpen({ kind: 'codes', codes })
    })
  return (
    <Card title={words.title}>
      <p class="muted">{words.lead}</p>
      <Shown of={loaded} reload={reload}>
        {(factors) => (
          <>
            {factors.length === 0 ? (
              <p>{words.none}</p>
            ) : (
              <ul class="entries">
                {factors.map((factor) => (
                  <li>
                    <div>
                      <strong>{factor.name}</strong>
                      <p class="muted">
                        {words.kinds[factor.channel]} · {texts.lastUsed}: <Moment at={factor.lastUsedDate} none={texts.never} />
                      </p>
                    </div>
                    <div class="acts">
                      <button
                        type="button"
                        aria-label={`${texts.rename}: ${factor.name}`}
                        onClick={() => setOpen({ kind: 'rename', factor })}
                      >
                        {texts.rename}
                      </button>
                      <button
                        type="button"
                        aria-label={`${texts.remove}: ${factor.name}`}
                        onClick={() => setOpen({ kind: 'delete', factor })}
                      >
                        {texts.remove}
                      </button>
                    </div>
                  </li>
                ))}
              </ul>
            )}
            <TroubleNote trouble={act.trouble} />
            <p class="acts">
              <button type="button" aria-disabled={act.isBusy} onClick={() => void begin()}>
                {words.addApp}
              </button>
              {knowsPasskeys && (
                <button type="button" aria-disabled={act.isBusy} onClick={() => void beginPasskey()}>
                  {words.addPasskey}
                </button>
              )}
              <button type="button" onClick={() => setOpen({ kind: 'byCode' })}>
                {words.addCodes}
              </button>
              {factors.length > 0 && (
                <button type="button" aria-disabled={act.isBusy} onClick={() => void makeCodes()}>
                  {words.newCodes}
                </button>
              )}
            </p>
          </>
        )}
      </Shown>
      {open?.kind === 'app' && (
        <AppDialog
          enrolled={open.enrolled}
          onClose={close}
          onDone={(codes) => {
            setOpen(codes.length > 0 ? { kind: 'codes', codes } : undefined)
            void reload()
          }}
        />
      )}
      {open?.kind === 'byCode' && (
        <CodeFactorDialog
          onClose={close}
          onDone={(codes) => {
            setOpen(codes.length > 0 ? { kind: 'codes', codes } : undefined)
            void reload()
          }}
        />
      )}
      {open?.kind === 'codes' && <CodesDialog codes={open.codes} onClose={close} />}
      {open?.kind === 'rename' && (
        <RenameDialog
          factor={open.factor}
          onClose={close}
          onDone={() => {
            close()
            void reload()
          }}
        />
      )}
      {open?.kind === 'delete' && (
        <DeleteDialog
          factor={open.factor}
          onClose={() => {
            close()
            void reload()
          }}
        />
      )}
    </Card>
  )
}

function DeleteDialog({ factor, onClose }: { factor: Factor; onClose: () => void }) {
  const act = useAct()
  const { factorId, name } = factor
  return (
    <Confirm
      title={words.removeTitle(name)}
      text={words.removeHint}
      label={texts.remove}
      act={act}
      onClose={onClose}
      onDo={() => dataOf(api.DELETE('/api/v1/auth/factors/{factorId}', { params: { path: { factorId } } }))}
    />
  )
}
