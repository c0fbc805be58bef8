import type { Domain } from '#platform/operation.ts'

import { changePassword } from './account/change-password.ts'
import { completePasswordReset } from './account/complete-password-reset.ts'
import { confirmEmailChange } from './account/confirm-email-change.ts'
import { getProfile } from './account/get-profile.ts'
import { proveIdentity } from './account/prove-identity.ts'
import { requestEmailChange } from './account/request-email-change.ts'
import { requestPasswordReset } from './account/request-password-reset.ts'
import { updateProfile } from './account/update-profile.ts'
import { authPhrases } from './auth.phrases.ts'
import { createApiKey } from './create-api-key.ts'
import { confirmCodeFactor } from './factors/confirm-code-factor.ts'
import { confirmPasskey } from './factors/confirm-passkey.ts'
import { confirmTotp } from './factors/confirm-totp.ts'
import { createRecoveryCodes } from './factors/create-recovery-codes.ts'
import { deleteSecondFactor } from './factors/delete-second-factor.ts'
import { enrollCodeFactor } from './factors/enroll-code-factor.ts'
import { enrollPasskey } from './factors/enroll-passkey.ts'
import { enrollTotp } from './factors/enroll-totp.ts'
import { listSecondFactors } from './factors/list-second-factors.ts'
import { renameSecondFactor } from './factors/rename-second-factor.ts'
import { listConnectedApps } from './grants/list-connected-apps.ts'
import { revokeConnectedApp } from './grants/revoke-connected-app.ts'
import { findApiKeys } from './find-api-keys.ts'
import { listApiKeys } from './list-api-keys.ts'
import { revokeApiKey } from './revoke-api-key.ts'
import { rotateApiKey } from './rotate-api-key.ts'
import { deleteSecret } from './secrets/delete-secret.ts'
import { listSecrets } from './secrets/list-secrets.ts'
import { saveSecret } from './secrets/save-secret.ts'
import { listSessions } from './sign-in/list-sessions.ts'
import { login } from './sign-in/login.ts'
import { logout } from './sign-in/logout.ts'
import { revokeSession } from './sign-in/revoke-session.ts'
import { selectSecondFactor } from './sign-in/select-second-factor.ts'
import { selectTenant } from './sign-in/select-tenant.ts'
import { verifySecondFactor } from './sign-in/verify-second-factor.ts'
import { updateApiKey } from './update-api-key.ts'

export const authDomain: Domain = {
  name: 'auth',
  title: 'Keys and sign-in',
  summary:
    'API keys: who or what may call, in which roles, until when and from where; how people sign in, with second factors, and which applications they let in; and secrets that are sent to hosts outside.',
  operations: [
    login,
    selectSecondFactor,
    verifySecondFactor,
    selectTenant,
    logout,
    listSessions,
    revokeSession,
    listConnectedApps,
    revokeConnectedApp,
    enrollTotp,
    confirmTotp,
    enrollPasskey,
    confirmPasskey,
    enrollCodeFactor,
    confirmCodeFactor,
    listSecondFactors,
    renameSecondFactor,
    deleteSecondFactor,
    createRecoveryCodes,
    changePassword,
    requestPasswordReset,
    completePasswordReset,
    proveIdentity,
    getProfile,
    updateProfile,
    requestEmailChange,
    confirmEmailChange,
    listApiKeys,
    findApiKeys,
    createApiKey,
    revokeApiKey,
    rotateApiKey,
    updateApiKey,
    saveSecret,
    listSecrets,
    deleteSecret,
  ],
  phrases: authPhrases,
}
