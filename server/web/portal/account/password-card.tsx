import { useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import type { Profile } from '../me.ts'
import { ActForm, Card, Line } from '../parts/basics.tsx'
import { texts } from '../texts/index.ts'

const words = texts.profile

export function PasswordCard({ profile }: { profile: Profile }) {
  const act = useAct()
  const [password, setPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  async function change() {
    await dataOf(api.POST('/api/v1/auth/password', { body: { password, newPassword }, headers: once() }))
    setPassword('')
    setNewPassword('')
  }
  return (
    <Card title={words.changePassword}>
      <p class="muted">{words.changePasswordHint}</p>
      <ActForm act={act} label={words.changePassword} onSend={change} done={words.passwordChanged}>
        {/* For what keeps passwords: whose it is. */}
        <input
          class="hidden"
          type="text"
          autocomplete="username"
          value={profile.logInName ?? profile.emails[0] ?? ''}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <Line
          label={words.presentPassword}
          type="password"
          value={password}
          onValue={setPassword}
          autocomplete="current-password"
          required
        />
        <Line
          label={words.newPassword}
          hint={words.newPasswordHint}
          type="password"
          value={newPassword}
          onValue={setNewPassword}
          autocomplete="new-password"
          minLength={12}
          maxLength={256}
          required
        />
      </ActForm>
    </Card>
  )
}
