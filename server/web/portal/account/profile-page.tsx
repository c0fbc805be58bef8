/** What a person keeps of themselves: name, language and zone, log-in, factors and sessions. */
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { me, type Profile } from '../me.ts'
import { ActForm, Card, Choice, Line, Page } from '../parts/basics.tsx'
import { Shown } from '../parts/shown.tsx'
import { texts } from '../texts/index.ts'
import { AppsCard } from './apps-card.tsx'
import { EmailsCard } from './emails-card.tsx'
import { FactorsCard } from './factors-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

const words = texts.profile
const zones = Intl.supportedValuesOf('timeZone')

function AboutCard({ profile }: { profile: Profile }) {
  const act = useAct()
  const languages = useAnswer(() => dataOf(api.POST('/api/v1/languages')))
  const [displayName, setName] = useState(profile.displayName)
  const [languageCode, setLanguage] = useState(profile.languageCode)
  const [timeZoneIana, setZone] = useState(profile.timeZoneIana)
  async function save() {
    const saved = await dataOf(api.PUT('/api/v1/profile', { body: { displayName, languageCode, timeZoneIana } }))
    if (me.value) me.value = { ...me.value, profile: saved }
  }
  return (
    <Card title={words.about}>
      <Shown of={languages.loaded} reload={languages.reload}>
        {(known) => (
          <ActForm act={act} label={texts.save} onSend={save} done={texts.saved}>
            <Line label={words.name} value={displayName} onValue={setName} maxLength={200} autocomplete="name" required />
            <Choice
              label={words.language}
              hint={words.languageHint}
              value={languageCode}
              onValue={setLanguage}
              options={known.map((one) => ({ value: one.languageCode, label: one.displayName }))}
            />
            <Line label={words.zone} hint={words.zoneHint} value={timeZoneIana} onValue={setZone} list="zones" maxLength={64} required />
            <datalist id="zones">
              {zones.map((zone) => (
                <option value={zone} />
              ))}
            </datalist>
          </ActForm>
        )}
      </Shown>
    </Card>
  )
}

export function ProfilePage() {
  const profile = me.value?.profile
  if (!profile) return null
  if (me.value?.isOfProvider)
    return (
      <Page title={words.title} lead={words.ofProvider}>
        <SessionsCard profile={profile} />
      </Page>
    )
  return (
    <Page title={words.title} lead={words.lead}>
      <AboutCard profile={profile} />
      <EmailsCard profile={profile} />
      <PasswordCard profile={profile} />
      <FactorsCard />
      <SessionsCard profile={profile} />
      <AppsCard profile={profile} />
    </Page>
  )
}
