/** What the page of consent says, in each of its languages. */
import type { RoleName } from '#platform/roles.ts'
import type { PageLanguage } from '#server/pages/languages.rules.ts'

type Givable = Exclude<RoleName, 'GlobalAdmin'>

const en = {
  title: (name: string) => `Let ${name} in?`,
  lead: (name: string) =>
    `${name} wants to act in your name. It can never do more than you can, and you may end it at any time in your profile.`,
  application: 'Application',
  knownAt: 'Says who it is at',
  registered: 'nowhere: it registered itself, and anybody may take this name',
  backTo: 'Sends you back to',
  tenant: 'Tenant',
  account: 'Your account',
  otherAccount: 'Use another account',
  otherTenant: 'Choose another tenant',
  ownMachine: 'It sends you back to a program on this computer. Go on only if you have just started to connect one here.',
  ownDevice: 'It sends you back to an application on this device. Go on only if you have just started to connect one here.',
  access: 'What it may do',
  read: 'Read',
  readHelp: 'Reads records, files and messages.',
  work: 'Work',
  workHelp: 'Reads, saves records, sends messages, and uploads files.',
  own: 'One by one, as ticked here:',
  byHand: 'Deleting, building and administering are never ticked unless you do it.',
  roles: {
    BuilderAdmin: 'Builder: changes entities, forms and workflows',
    DataView: 'View: reads records, files and messages',
    DataImport: 'Import: saves many records and imports files',
    DataEdit: 'Edit: saves records and sends messages',
    DataDelete: 'Delete: deletes and restores records',
    FileEdit: 'Files: uploads, changes and deletes files',
    AdminUser: 'Administrator of users',
    AdminIntegration: 'Administrator of keys, channels and storage',
    AdminCSS: 'Administrator of the look',
  } satisfies Record<Givable, string> as Record<Givable, string>,
  allow: 'Let it in',
  refuse: 'No',
  proof: 'For an administrator’s role, show again that it is you.',
  password: 'Password',
  orCode: 'Or a code of your second factor',
  proofNeeded: 'To give an administrator’s role, show again that it is you: type your password or a code.',
  wrongProof: 'The password or the code is wrong. Type it again.',
  nothing: 'Tick at least one thing that it may do.',
  noRoles: 'You have no role in this tenant that you could give.',
  noApps: (tenant: string) => `${tenant} lets no application in.`,
  noMember: 'The application is for a tenant that you are no user of. Sign in with another account.',
  whichTenant: 'Which tenant is it for?',
  whichTenantLead: (name: string) => `${name} will see this tenant, and no other.`,
  over: 'This took too long, was answered already, or was begun in another browser. Go back to the application and connect again.',
  overTitle: 'Connect again',
  failed: 'The application cannot be connected',
  failedLead: 'Go back to it and try again. If it stays so, tell its maker what stands here:',
}

export type ConsentTexts = typeof en

const de: ConsentTexts = {
  title: (name) => `${name} einlassen?`,
  lead: (name) => `${name} möchte in Ihrem Namen handeln. Mehr als Sie kann es nie, und Sie können es jederzeit in Ihrem Profil beenden.`,
  application: 'Anwendung',
  knownAt: 'Sagt, wer sie ist, unter',
  registered: 'nirgends: Sie hat sich selbst angemeldet, und diesen Namen kann jeder nehmen',
  backTo: 'Schickt Sie zurück zu',
  tenant: 'Mandant',
  account: 'Ihr Konto',
  otherAccount: 'Ein anderes Konto nehmen',
  otherTenant: 'Einen anderen Mandanten wählen',
  ownMachine: 'Sie schickt Sie zu einem Programm auf diesem Computer. Gehen Sie nur weiter, wenn Sie hier gerade eines verbinden.',
  ownDevice: 'Sie schickt Sie zu einer Anwendung auf diesem Gerät. Gehen Sie nur weiter, wenn Sie hier gerade eine verbinden.',
  access: 'Was sie darf',
  read: 'Lesen',
  readHelp: 'Liest Datensätze, Dateien und Nachrichten.',
  work: 'Arbeiten',
  workHelp: 'Liest, speichert Datensätze, sendet Nachrichten und lädt Dateien hoch.',
  own: 'Einzeln, wie hier angekreuzt:',
  byHand: 'Löschen, Bauen und Verwalten kreuzen nur Sie selbst an.',
  roles: {
    BuilderAdmin: 'Bauen: ändert Entitäten, Formulare und Abläufe',
    DataView: 'Ansehen: liest Datensätze, Dateien und Nachrichten',
    DataImport: 'Importieren: speichert viele Datensätze und importiert Dateien',
    DataEdit: 'Bearbeiten: speichert Datensätze und sendet Nachrichten',
    DataDelete: 'Löschen: löscht Datensätze und stellt sie wieder her',
    FileEdit: 'Dateien: lädt Dateien hoch, ändert und löscht sie',
    AdminUser: 'Administrator der Benutzer',
    AdminIntegration: 'Administrator von Schlüsseln, Kanälen und Speicher',
    AdminCSS: 'Administrator des Aussehens',
  },
  allow: 'Einlassen',
  refuse: 'Nein',
  proof: 'Für die Rolle eines Administrators zeigen Sie noch einmal, dass Sie es sind.',
  password: 'Passwort',
  orCode: 'Oder ein Code Ihres zweiten Faktors',
  proofNeeded: 'Um die Rolle eines Administrators zu geben, zeigen Sie noch einmal, dass Sie es sind: mit Passwort oder Code.',
  wrongProof: 'Das Passwort oder der Code ist falsch. Tippen Sie es noch einmal.',
  nothing: 'Kreuzen Sie wenigstens eines an, was sie darf.',
  noRoles: 'Sie haben in diesem Mandanten keine Rolle, die Sie geben könnten.',
  noApps: (tenant) => `${tenant} lässt keine Anwendung ein.`,
  noMember: 'Die Anwendung ist für einen Mandanten, dessen Benutzer Sie nicht sind. Melden Sie sich mit einem anderen Konto an.',
  whichTenant: 'Für welchen Mandanten?',
  whichTenantLead: (name) => `${name} wird diesen Mandanten sehen und keinen anderen.`,
  over: 'Das hat zu lange gedauert, wurde schon beantwortet oder in einem anderen Browser begonnen. Gehen Sie zur Anwendung zurück, und verbinden Sie sie neu.',
  overTitle: 'Neu verbinden',
  failed: 'Die Anwendung kann nicht verbunden werden',
  failedLead: 'Gehen Sie zu ihr zurück, und versuchen Sie es noch einmal. Bleibt es so, sagen Sie ihrem Hersteller, was hier steht:',
}

const texts: Readonly<Record<PageLanguage, ConsentTexts>> = { en, de }

export function consentTexts(language: PageLanguage): ConsentTexts {
  return texts[language]
}
